/** Help text that shows how a command is typed; `lines` go without the program's name. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  $ innctl ${line}`)].join('\n');
}
