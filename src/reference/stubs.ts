/** The shells for which there are completions. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** For each shell the name of its file in completions/. */
export const completionFiles = {
  bash: 'innctl.bash',
  zsh: '_innctl',
  fish: 'innctl.fish',
  powershell: 'innctl.ps1',
} as const satisfies Record<Shell, string>;

/** A script as a template literal: backslashes are the shell's, and `$\{` becomes a dollar and a brace of the shell. */
function script(text: TemplateStringsArray): string {
  return (text.raw[0] ?? '').replaceAll('$\\{', '$' + '{');
}

/** The script of each shell, which asks `innctl __complete`; completions/ has them as files. */
export const stubs: Readonly<Record<Shell, string>> = {
  bash: script`# Completions of innctl for bash 3.2 and later: they ask "innctl __complete"..

_innctl() {
  local IFS=$' \t\n' program=$\{1-innctl} line=$\{COMP_LINE-} point=$\{COMP_POINT-0} text last
  COMPREPLY=()
  # Completions of other commands may set only the words, in which bash has split at = and : as well.
  if [[ -z $line ]]; then
    line="$\{COMP_WORDS[*]:0:COMP_CWORD+1}" line=$\{line// = /=} point=$\{#line}
  fi
  # An alias or a function may have any name.
  program=$\{program/#\~\//$\{HOME-}/}
  if [[ $(type -t "$program") != file ]]; then program=innctl; fi
  text=$(command "$program" __complete --bash "$\{line:0:point}" "$\{line:point}" "$\{2-$\{COMP_WORDS[COMP_CWORD]-}}" \
    "$\{COMP_TYPE-}" "$(type -t compopt)" </dev/null 2>/dev/null) || return 0
  # One candidate a line, and a directive on the last one.
  IFS=$'\n' read -r -d '' -a COMPREPLY <<<"$text" || last=$(($\{#COMPREPLY[@]} - 1))
  if [[ $\{last:--1} == -1 ]]; then return 0; fi
  text=$\{COMPREPLY[last]}
  unset "COMPREPLY[last]"
  case $text in
    :nospace*) compopt -o nospace || return 0 ;;
    :files*) compopt -o default || _innctl_paths -f "$\{2-}" ;;
    :folders*) compopt -o dirnames || _innctl_paths -d "$\{2-}" ;;
  esac 2>/dev/null
}

# _innctl_paths -f|-d <typed>: for an old bash, where readline cannot be asked to complete a file.
_innctl_paths() {
  local path
  while IFS= read -r path; do
    if [[ -z $path ]]; then continue; fi
    printf -v text %q "$path"
    if [[ -d $path ]]; then text=$text/; fi
    COMPREPLY[$\{#COMPREPLY[@]}]=$text
  done <<<"$(compgen "$1" -- "$2")"
  if [[ $\{#COMPREPLY[@]} == 1 && $text != */ ]]; then COMPREPLY[0]="$text "; fi
}

if type compopt >/dev/null 2>&1; then
  complete -F _innctl innctl
else
  # It cannot be asked either to add no blank.
  complete -o nospace -F _innctl innctl
fi
`,
  zsh: script`#compdef innctl
# Completions of innctl for zsh: they ask "innctl __complete"..

_innctl() {
  local program=$\{(Q)words[1]/#\~\//$HOME/} text kept directive
  local -a lines space
  # An alias or a function may have any name.
  [[ $(whence -w -- $program) == *': command' ]] || program=innctl
  text=$(command $program __complete --zsh=$(($\{#words} - CURRENT)) "$\{(@Q)words[2,CURRENT-1]}" "$\{(Q)PREFIX}" \
    "$\{(@Q)words[CURRENT+1,-1]}" </dev/null 2>/dev/null) || return 1
  # One candidate a line; on the last one a directive, and what stands before each candidate.
  lines=("$\{(@f)text}")
  directive=$\{lines[-1]%%$'\t'*} kept=$\{lines[-1]#*$'\t'}
  lines[-1]=()
  case $kept in
    (*,) compset -P '*,' ;;
    (*=) compset -P 1 '*=' ;;
    (-*) compset -p $\{#kept} ;;
  esac
  case $directive in
    (:files) _files ;;
    (:folders) _path_files -/ ;;
    (:nospace) _describe -t values value lines -S '' ;;
    (*) _describe -t values value lines ;;
  esac
}

if [[ $\{funcstack[1]-} == _innctl ]]; then
  _innctl "$@"
elif (( $\{+functions[compdef]} )); then
  compdef _innctl innctl
fi
`,
  fish: script`# Completions of innctl for fish: they ask "innctl __complete"..

function __innctl_complete
    set -l before (commandline -opc)
    while string match -qr '^\w+=' -- "$before[1]"
        set -e before[1]
    end
    set -l program (string replace -r '^~/' "$HOME/" -- "$before[1]")
    # An alias is a function, and may have any name.
    if functions -q -- $program; or not command -q -- $program
        set program innctl
    end
    set -e before[1]
    # The end of a quote may be missing.
    set -l raw (commandline -ct)
    set -l typed "$raw"
    for quote in '' "'" '"'
        set typed (string unescape -- "$raw$quote"); and break
    end
    set -l lines (command $program __complete --fish $before "$typed" </dev/null 2>/dev/null)
    or return
    # A directive is on the last line, and what stands before each candidate.
    set -l last (string split \t -- $lines[-1])
    set -e lines[-1]
    set -l rest (string sub -s (math 1 + (string length -- "$last[2]")) -- "$typed")
    switch "$last[1]"
        case :files
            set lines $last[2](__fish_complete_path "$rest")
        case :folders
            set lines $last[2](__fish_complete_directories "$rest" '')
    end
    string join \n -- $lines
end

complete -c innctl -e
complete -c innctl -f -a '(__innctl_complete)'
`,
  powershell: script`# Completions of innctl for PowerShell: they ask "innctl __complete"..
Register-ArgumentCompleter -Native -CommandName 'innctl', 'innctl.cmd', 'innctl.ps1' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  Set-StrictMode -Off
  $ErrorActionPreference = 'SilentlyContinue'
  $before = @()
  $after = @()
  $raw = ''
  foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
    $extent = $element.Extent
    $isText = $element -is [System.Management.Automation.Language.StringConstantExpressionAst]
    $text = if ($isText) { $element.Value } else { $extent.Text }
    if ($extent.EndOffset -lt $cursorPosition) { $before += $text }
    elseif ($extent.StartOffset -ge $cursorPosition) { $after += $text }
    else { $raw = $extent.Text.Substring(0, $cursorPosition - $extent.StartOffset) }
  }
  # As one plain word, because some versions break others that have quotes, or drop them.
  $words = (@($before) + $raw + @($after) + [string]$wordToComplete) -join [char]0
  $coded = [Convert]::ToBase64String([System.Text.Encoding]::UTF8.GetBytes($words))
  $names = $commandAst.GetCommandName(), 'innctl'
  $kinds = 'Application', 'ExternalScript'
  $program = Get-Command -Name $names -CommandType $kinds | Select-Object -First 1
  if (-not $program) { return }
  $lines = @()
  $encoding = [Console]::OutputEncoding
  [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
  try { $lines = @($null | & $program '__complete' "--powershell=$($after.Count)" $coded 2>$null) }
  finally { [Console]::OutputEncoding = $encoding }
  # Without an answer PowerShell completes files; an empty text keeps it from that.
  if ($lines.Count -eq 0 -or $lines[-1] -clike ':f*') { return }
  if ($lines.Count -eq 1) { return '' }
  foreach ($line in $lines[0..($lines.Count - 2)]) {
    $text, $about = $line.Split([char[]]9, 2)
    [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
  }
}
`,
};
