# Completions of innctl for fish: they ask "innctl __complete".

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
