import { script } from './rows.ts';

/** What fish offers at the cursor. */
export const fishOffers = script`# __innctl_want: sets wanted to flags, children, values or itself, and for values takes, prefix and typed.
function __innctl_want --no-scope-shadowing
    set takes
    if test -n "$asked"
        __innctl_flag (string split / -- $asked)[-1]
        set wanted values
        return
    end
    switch "$typed"
        case '--*=*'
            set -l pair (string split -m 1 = -- $typed)
            __innctl_flag $pair[1]; or return
            set wanted values
            set prefix $pair[1]=
            set typed $pair[2]
        case - '--*'
            set wanted flags
        case '-*'
            __innctl_letters
        case '*'
            __innctl_argument
    end
end

# __innctl_letters: a value right behind the letter of its flag, as in -ojson.
function __innctl_letters --no-scope-shadowing
    set -l letters (string sub -s 2 -- $typed)
    set prefix -
    set takes switch
    while test -n "$letters" -a "$takes" = switch
        set -l letter (string sub -l 1 -- $letters)
        __innctl_flag -$letter; or return
        set prefix $prefix$letter
        set letters (string sub -s 2 -- $letters)
    end
    set typed $letters
    set wanted values
    test -n "$letters"; or set wanted itself
end

# __innctl_argument: a child, or a value of the argument at this position; flags where no argument is left.
function __innctl_argument --no-scope-shadowing
    if test (count $children) -gt 0
        set wanted children
        return
    end
    test -z "$in_help"; or return
    set -l left $position
    for argument in $arguments
        if test $left -le 0; or string match -q '+*' -- $argument
            set takes (string trim -l -c +, -- $argument)
            set wanted values
            return
        end
        set left (math $left - 1)
    end
    test -n "$typed"; or set wanted flags
end

# __innctl_flags: those of the command, then those of all commands, without those that are given and may not be again.
function __innctl_flags --no-scope-shadowing
    for flag in $flags $shared
        set -l row (string split -m 1 : -- $flag)
        set -l pair (string split -m 1 = -- $row[1])
        if contains -- $pair[1] $given; and not string match -qr '^[,+]' -- "$pair[2]"
            continue
        end
        set -l offered (string split / -- $pair[1])
        test -n "$typed"; or set offered $offered[-1]
        __innctl_like $offered\t$row[2]
    end
end

# __innctl_values <takes>
function __innctl_values --no-scope-shadowing
    set -l what (string trim -l -c ',+.' -- $argv[1])
    set -l found
    switch "$what"
        case switch %file
            return
        case '@*'
            set found (__innctl_cached (string sub -s 2 -- $what))
        case %folder
            set found (__fish_complete_directories "$typed" '')
        case '*'
            test -z "$what"; or set found (string split '|' -- $what)\t
    end
    if string match -q ',*' -- $argv[1]; and string match -q '*,*' -- "$typed"
        set -l head (string replace -r '[^,]*$' '' -- $typed)
        set prefix $prefix$head
        for value in (string split , -- $head)
            set found (string match -vr -- '^'(string escape --style=regex -- $value)'\t' $found)
        end
    end
    printf '%s\n' $prefix(__innctl_like $found)
end

# __innctl_like <lines>: those whose value has what is typed. Fish alone would look into the descriptions as well.
function __innctl_like --no-scope-shadowing
    set -l part (string split , -- "$typed")[-1]
    string match -ir -- '^[^\t]*'(string escape --style=regex -- "$part")'[^\t]*(?:\t.*)?$' $argv
end

# __innctl_cached <name>: values that a list command left behind, each with a tab and a description on a line.
function __innctl_cached --no-scope-shadowing
    set -l folder
    if string match -q '*-emails' -- $argv[1]
        contains -- (string lower -- "$INNCTL_COMPLETE_EMAILS") 1 true yes; or return
    end
    __innctl_folder $argv[1]; or return
    test -f $folder/$argv[1] -a -r $folder/$argv[1]; or return
    begin
        # More is not ours, and fish takes its time over a long line.
        read -z -n 1500000 -d \n -a -l lines <$folder/$argv[1]
        string match -r -- '^[^\p{Cc}\p{Cf}]{1,200}\t[^\p{Cc}\p{Cf}]{0,200}$' $lines[1..5000] ''
    end 2>/dev/null
end

# __innctl_folder <name>: sets folder to where the file is; a profile whose name is none has nothing.
function __innctl_folder --no-scope-shadowing
    test -z "$HOME"; or set folder $HOME/.local/state/innctl
    string match -q '/*' -- "$XDG_STATE_HOME"; and set folder $XDG_STATE_HOME/innctl
    test -z "$INNCTL_CONFIG_DIR"; or set folder $INNCTL_CONFIG_DIR/state
    test -n "$folder"; or return 1
    set folder $folder/completion
    test $argv[1] != profiles; or return 0
    set -l named $profile
    test -n "$named"; or set named $INNCTL_PROFILE
    if test -z "$named" -a -f $folder/active -a -r $folder/active
        begin
            read -l -n 200 line <$folder/active
            set named (string split \t -- $line)[1]
        end 2>/dev/null
    end
    # Variables that name a service win over every profile but the sandbox, unless a flag names one.
    if test -z "$profile"; and test "$named" != sandbox; and test -n "$INNCTL_BASE_URL$INNCTL_IDENTITY_URL"
        set folder $folder/by-profile/_environment
        return 0
    end
    string match -qr '^[a-z0-9][a-z0-9_-]*$' -- "$named"; or return 1
    set folder $folder/by-profile/$named
end

complete -c innctl -e
complete -c innctl -f -a '(__innctl_complete)'
complete -c innctl -n '__innctl_complete file' -F
`;
