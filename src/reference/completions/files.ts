/** For each shell the name of the file in completions/ that holds its completions. */
export const completionFiles = {
  bash: 'innctl.bash',
  zsh: '_innctl',
  fish: 'innctl.fish',
  powershell: 'innctl.ps1',
} as const satisfies Record<Shell, string>;

/** The shells for which there are completions. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];
