/** How a command ends that prints nothing on stdout. @param stderr a text or a matcher. */
export const ended = (exitCode: number, stderr: unknown) => ({ exitCode, stdout: '', stderr });

/** How a command ends that succeeds without a word on stderr. @param stdout a text, a matcher, or what was read from it. */
export const printed = (stdout: unknown) => ({ exitCode: 0, stdout, stderr: '' });

/** What became of each record, as JSON tells it. */
export const outcomes = (stdout: string) =>
  JSON.parse(stdout).items.map(({ name, action, outcome }: Record<string, string>) => [
    name,
    action,
    outcome,
  ]);
