# Completions of innctl for PowerShell: they ask "innctl __complete".
Register-ArgumentCompleter -Native -CommandName 'innctl', 'innctl.exe', 'innctl.cmd', 'innctl.ps1' -ScriptBlock {
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
