/** The shells for which there are completions. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** For each shell the name of its file in completions/, which asks `innctl __complete`. */
export const completionFiles = {
  bash: 'innctl.bash',
  zsh: '_innctl',
  fish: 'innctl.fish',
  powershell: 'innctl.ps1',
} as const satisfies Record<Shell, string>;

const places = {
  bash: `With the package bash-completion, type:
  mkdir -p ~/.local/share/bash-completion/completions
  innctl completion bash > ~/.local/share/bash-completion/completions/innctl
Without it:
  innctl completion bash > ~/.innctl.bash && echo '. ~/.innctl.bash' >> ~/.bashrc`,
  zsh: `Type, and begin a new shell:
  mkdir -p ~/.zsh/completions && innctl completion zsh > ~/.zsh/completions/_innctl
~/.zshrc needs, before anything else calls compinit:
  fpath=(~/.zsh/completions $fpath); autoload -Uz compinit; compinit`,
  fish: `Type:
  mkdir -p ~/.config/fish/completions
  innctl completion fish > ~/.config/fish/completions/innctl.fish`,
  powershell: `Type, and begin a new shell:
  innctl completion powershell | Out-File -Encoding utf8 "$HOME/.innctl.ps1"
  if (!(Test-Path $PROFILE)) { New-Item -ItemType File -Force $PROFILE }
  Add-Content $PROFILE '. "$HOME/.innctl.ps1"'`,
} as const satisfies Record<Shell, string>;

/** How to install the completions of a shell. */
export function placeOf(shell: Shell): string {
  return places[shell];
}
