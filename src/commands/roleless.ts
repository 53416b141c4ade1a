/** Said of a user who was given properties, and has no role there. */
export function roleless(who: string, ids: readonly string[]): string {
  return `${who} has no role at ${ids.join(', ')} and will see nothing there; roles of users are given in the service's own pages.`;
}
