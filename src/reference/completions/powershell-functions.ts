/** How the completions of PowerShell find the values that list commands left behind, and write a value into a command line. */
export const powershellFunctions = String.raw`  # A word as it must be typed: in single quotes unless it is plain.
  function ConvertTo-Word([string]$text) {
    if ($text -cmatch '^(-{0,2}[A-Za-z0-9][A-Za-z0-9_.:/@+=-]*)?$') { return $text }
    $end = [string][char]39
    return $end + [regex]::Replace($text, '[\u0027\u2018-\u201B]', '$0$0') + $end
  }

  # The folder in which lists leave their values.
  function Get-CacheFolder {
    $own = $env:INNCTL_CONFIG_DIR
    if ($own) { return [System.IO.Path]::Combine($PWD.ProviderPath, $own, 'state', 'completion') }
    if ($env:OS -eq 'Windows_NT') {
      $base = $env:LOCALAPPDATA
      if (-not $base) { $base = [System.IO.Path]::Combine($HOME, 'AppData', 'Local') }
      return [System.IO.Path]::Combine($base, 'innctl', 'completion')
    }
    $base = $env:XDG_STATE_HOME
    if (-not $base -or -not $base.StartsWith('/', $ordinal)) {
      $base = [System.IO.Path]::Combine($HOME, '.local', 'state')
    }
    return [System.IO.Path]::Combine($base, 'innctl', 'completion')
  }

  # The lines of a file as pairs of value and description; none where it cannot be read.
  function Read-Cache([string]$file) {
    try {
      $found = [System.IO.FileInfo]::new($file)
      # A pipe has no length, and would be waited for.
      if (-not $found.Exists -or $found.Length -eq 0 -or $found.Length -gt 8388608) { return }
      $left = 5000
      foreach ($line in [System.IO.File]::ReadLines($file)) {
        if ($left-- -eq 0) { break }
        $end = $line.IndexOf([char]9)
        if ($end -lt 1) { continue }
        $value = $line.Substring(0, $end)
        $about = $line.Substring($end + 1)
        if ($value.Length -gt 200 -or $value -match '[\p{Cc}\p{Cf}\p{Cs}]') { continue }
        if ($about -eq '' -or $about -match '[\p{Cc}\p{Cf}\p{Cs}]') { $about = $value }
        @{ value = $value; about = $about }
      }
    } catch { }
  }

  # The file of a kind of values, for the profile that the command line means; nothing where there is none.
  function Get-CacheFile([string]$kind, [string]$named) {
    $folder = Get-CacheFolder
    if ($kind -ceq 'profiles') { return [System.IO.Path]::Combine($folder, 'profiles') }
    if ($kind -clike '*-emails' -and $env:INNCTL_COMPLETE_EMAILS -notin '1', 'true', 'yes') { return }
    $owner = $named
    if (-not $owner) { $owner = $env:INNCTL_PROFILE }
    if (-not $owner) {
      foreach ($line in @(Read-Cache ([System.IO.Path]::Combine($folder, 'active')))) { $owner = $line.value }
    }
    # Variables that name a service win over every profile but the sandbox, unless a flag names one.
    if (-not $named -and $owner -cne 'sandbox' -and ($env:INNCTL_BASE_URL -or $env:INNCTL_IDENTITY_URL)) {
      return [System.IO.Path]::Combine($folder, 'by-profile', '_environment', $kind)
    }
    if ($owner -cnotmatch '\A[a-z0-9][a-z0-9_-]*\z') { return }
    return [System.IO.Path]::Combine($folder, 'by-profile', $owner, $kind)
  }
`;
