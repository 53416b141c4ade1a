/** How a command ends that prints nothing on stdout. @param stderr a text or a matcher. */
export const ended = (exitCode: number, stderr: unknown) => ({ exitCode, stdout: '', stderr });
