const DAY_MS = 86_400_000;

/** The moment that many days before `now` (milliseconds since the epoch), as ISO 8601 in UTC. */
export function daysBefore(now: number, days: number): string {
  return new Date(now - days * DAY_MS).toISOString();
}
