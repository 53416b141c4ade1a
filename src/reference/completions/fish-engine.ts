import { script } from './rows.ts';

/** How fish completes the rows of its script; quoting and matching are fish's own. */
export const fishEngine = script`# No program is started, and nothing that a file says is evaluated. All functions share the locals of
# __innctl_complete.

# __innctl_complete: a value, a tab and a description on each line. With "file" it only answers whether a path is wanted.
function __innctl_complete
    set -l children
    set -l synonyms
    set -l flags
    set -l arguments
    set -l shared
    set -l topics
    set -l given
    set -l names
    set -l takes
    set -l command ''
    set -l in_help
    set -l position 0
    set -l pending
    set -l profile
    set -l ended
    set -l prefix ''
    set -l typed (__innctl_plain (commandline -ct))
    set -l asked
    set -l wanted
    __innctl_look
    test -z "$ended"; or return 1
    __innctl_want
    if test "$argv[1]" = file
        test "$wanted" = values -a "$takes" = %file
        return
    end
    switch "$wanted"
        case flags
            __innctl_flags
        case children
            __innctl_like (string replace : \t -- $children)
            if test -n "$in_help" -a $position = 0
                __innctl_values "$topics[1]"
            end
        case values
            __innctl_values "$takes"
        case itself
            printf '%s\n' $prefix
    end
    return 0
end

# __innctl_plain <text>: the text without its quoting, of which the end may be missing.
function __innctl_plain
    for end in '' "'" '"'
        string unescape -- $argv[1]$end; and return
    end
    printf '%s\n' $argv[1]
end

# __innctl_look: reads the words before the cursor; fish does not say what stands behind it.
function __innctl_look --no-scope-shadowing
    set -l before (commandline -opc)
    while string match -qr '^\w+=' -- "$before[1]"
        set -e before[1]
    end
    __innctl_row ''
    set shared $flags
    set flags
    for word in $before[2..-1]
        test -n "$ended"; or __innctl_scan $word
    end
    set asked $pending
    not string match -q -- '-*' $typed; or not string match -qr '^\.' -- "$takes"; or set asked
end

# __innctl_scan <word>: what a word says of those that follow.
function __innctl_scan --no-scope-shadowing
    if test -n "$pending"; and not begin
            string match -qr '^\.' -- "$takes"; and string match -q -- '-*' $argv[1]
        end
        __innctl_take "$argv[1]"
        return
    end
    set pending
    switch "$argv[1]"
        case --
            set ended 1
        case '--*=*'
            set -l pair (string split -m 1 = -- $argv[1])
            __innctl_name $pair[1]
            __innctl_take "$pair[2]"
        case '--*'
            __innctl_name $argv[1]
        case '-*'
            set -l letters (string sub -s 2 -- $argv[1])
            while test -n "$letters" -a -z "$pending"
                __innctl_name -(string sub -l 1 -- $letters)
                set letters (string sub -s 2 -- $letters)
            end
            test -z "$letters"; or __innctl_take "$letters"
        case '*'
            __innctl_enter "$argv[1]"
    end
end

# __innctl_name <flag>: notes that it is given; pending is set where a value follows.
function __innctl_name --no-scope-shadowing
    __innctl_flag $argv[1]; or return
    set -a given $names
    test "$names" != --sandbox; or set profile sandbox
    test "$takes" = switch; or set pending $names
end

function __innctl_take --no-scope-shadowing
    test "$pending" != -p/--profile; or set profile $argv[1]
    set pending
end

# __innctl_flag <name>: sets names and takes from its row, takes to "switch" where it has no value.
function __innctl_flag --no-scope-shadowing
    for flag in $flags $shared
        set -l pair (string split -m 1 = -- (string split -m 1 : -- $flag)[1])
        contains -- $argv[1] (string split / -- $pair[1]); or continue
        set names $pair[1]
        set takes switch
        test (count $pair) = 1; or set takes $pair[2]
        return 0
    end
    return 1
end

# __innctl_enter <word>: goes down to the child of that name, or past an argument. The words after help name a command.
function __innctl_enter --no-scope-shadowing
    if test (count $children) = 0
        set position (math $position + 1)
        return
    end
    for child in (string replace -r '(.*?):.*' '$1:$1' -- $children) $synonyms
        set -l pair (string split -m 1 : -- $child)
        test $pair[1] = "$argv[1]"; or continue
        set command (string trim -- "$command $pair[2]")
        __innctl_row $command
        if test -n "$in_help"
            set position 1
            set flags
            set arguments
        else if test $command = help
            set topics $arguments
            set in_help 1
            set command ''
            __innctl_row ''
            set flags
        end
        return
    end
    set ended 1
end
`;
