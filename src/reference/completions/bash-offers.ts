import { script } from './rows.ts';

/** What bash offers at the cursor, and how it is inserted. */
export const bashOffers = script`# __innctl_offer: sets found, described and count for what is typed.
__innctl_offer() {
  if [[ -n $asked ]]; then
    __innctl_flag "$\{asked##*/}"
    __innctl_values "$takes"
    return 0
  fi
  case $typed in
    --*=*)
      __innctl_flag "$\{typed%%=*}" || return 0
      prefix=$\{typed%%=*}= typed=$\{typed#*=}
      __innctl_values "$takes"
      ;;
    - | --*) __innctl_flags ;;
    -*) __innctl_letters ;;
    *) __innctl_argument ;;
  esac
}

# __innctl_match <value> [description]
__innctl_match() {
  if [[ $1 != "$typed"* || $taken == *",$1,"* ]]; then return 0; fi
  found[count]=$prefix$1 described[count]=$\{2-}
  count=$((count + 1))
}

# __innctl_flags: those of the command, then those of all commands, without those that are given and may not be again.
__innctl_flags() {
  local row name
  for row in $flags $shared; do
    names=$\{row%%=*}
    if [[ $given == *" $names "* && $row != *=[,+]* ]]; then continue; fi
    for name in $\{names//\// }; do
      if [[ -n $typed || $name == --* ]]; then __innctl_match "$name"; fi
    done
  done
}

# __innctl_letters: a value right behind the letter of its flag, as in -ojson.
__innctl_letters() {
  local letters=$\{typed#-}
  prefix=- takes=switch
  while [[ -n $letters && $takes == switch ]]; do
    __innctl_flag "-$\{letters:0:1}" || return 0
    prefix=$prefix$\{letters:0:1} letters=$\{letters:1}
  done
  typed=$letters
  if [[ -z $letters ]]; then __innctl_match ''; else __innctl_values "$takes"; fi
}

# __innctl_argument: a child, or a value of the argument at this position; flags where no argument is left.
__innctl_argument() {
  local word left=$position
  for word in $children; do __innctl_match "$word"; done
  if [[ -n $in_help && $position == 0 ]]; then __innctl_values "$\{topics%:}"; fi
  if [[ -n $children || -n $in_help ]]; then return 0; fi
  for word in $arguments; do
    if [[ $left == 0 || $word == +* ]]; then
      __innctl_values "$\{word%:}"
      return 0
    fi
    left=$((left - 1))
  done
  if [[ -z $typed ]]; then __innctl_flags; fi
}

# __innctl_values <takes>
__innctl_values() {
  local what=$1 choice
  if [[ $what == ,* && $typed == *,* ]]; then
    taken=,$\{typed%,*},
    prefix=$prefix$\{typed%,*}, typed=$\{typed##*,}
  fi
  what=$\{what#[,+.]}
  case $what in
    switch) ;;
    @*) __innctl_cached "$\{what#@}" ;;
    %*) __innctl_paths "$\{what#%}" ;;
    *) for choice in $\{what//|/ }; do __innctl_match "$choice"; done ;;
  esac
}

# __innctl_cached <name>: values that a list command left behind, each with a tab and a description on a line.
__innctl_cached() {
  local file=$1 folder line lines at
  case $file:$\{INNCTL_COMPLETE_EMAILS-} in
    *-emails:1 | *-emails:[Tt][Rr][Uu][Ee] | *-emails:[Yy][Ee][Ss]) ;;
    *-emails:*) return 0 ;;
  esac
  __innctl_folder "$file" || return 0
  if [[ ! -f $folder/$file || ! -r $folder/$file ]]; then return 0; fi
  lines=()
  # More is not ours. A NUL ends it: bash would skip the others without counting them.
  IFS=$'\n' read -r -d '' -n 1500000 -a lines <"$folder/$file"
  for ((at = 0; at < $\{#lines[@]} && at < 5000; at++)); do
    line=$\{lines[at]}
    if [[ $\{#line} -gt 400 || $line != "$typed"*$'\t'* || $line == $'\t'* ]]; then continue; fi
    # The tab is the only control character of a line.
    if [[ $line == *[[:cntrl:]]*[[:cntrl:]]* ]]; then continue; fi
    __innctl_match "$\{line%%$'\t'*}" "$\{line#*$'\t'}"
  done
} 2>/dev/null

# __innctl_folder <name>: sets folder to where the file is; a profile whose name is none has nothing.
__innctl_folder() {
  local named=$profile
  case $\{OSTYPE-} in
    msys* | cygwin*) folder=$\{LOCALAPPDATA:+$LOCALAPPDATA/innctl} ;;
    *) folder=$\{HOME:+$HOME/.local/state/innctl} ;;
  esac
  if [[ $\{XDG_STATE_HOME-} == /* ]]; then folder=$XDG_STATE_HOME/innctl; fi
  if [[ -n $\{INNCTL_CONFIG_DIR-} ]]; then folder=$INNCTL_CONFIG_DIR/state; fi
  if [[ -z $folder ]]; then return 1; fi
  folder=$folder/completion
  if [[ $1 == profiles ]]; then return 0; fi
  if [[ -z $profile ]]; then
    if [[ -f $folder/active && -r $folder/active ]]; then
      IFS=$'\t\n' read -r -d '' -n 200 named line <"$folder/active"
    fi
    named=$\{INNCTL_PROFILE:-$named}
    # Variables that name a service win over every profile but the sandbox.
    if [[ $named != sandbox && -n $\{INNCTL_BASE_URL-}$\{INNCTL_IDENTITY_URL-} ]]; then
      folder=$folder/by-profile/_environment
      return 0
    fi
  fi
  case $named in
    '' | [-_]* | *[!abcdefghijklmnopqrstuvwxyz0123456789_-]*) return 1 ;;
  esac
  folder=$folder/by-profile/$named
}

# __innctl_paths file|folder: readline does it, where it can be asked to.
__innctl_paths() {
  local path option=default
  if [[ $1 == folder ]]; then option=dirnames; fi
  if compopt -o "$option"; then return 0; fi
  for path in "$typed"*; do
    if [[ -d $path ]]; then
      __innctl_match "$path/"
    elif [[ -e $path && $1 == file ]]; then
      __innctl_match "$path"
    fi
  done
} 2>/dev/null

# __innctl_reply <what readline keeps>: the rest of what is found, quoted as the word began. A list that is only looked
# at has the descriptions.
__innctl_reply() {
  local text
  for ((index = 0; index < count; index++)); do
    text=$\{found[index]#"$1"}
    if [[ $\{COMP_TYPE-} == 63 && $count -gt 1 ]]; then
      text=$text$\{described[index]:+  ($\{described[index]})}
    elif [[ $text == *[!A-Za-z0-9,._@%+=:/-]* ]]; then
      __innctl_quoted "$text"
    fi
    COMPREPLY[index]=$text
  done
  # An old bash was asked to leave this to us, because it cannot be told for each word.
  if [[ $count == 1 && -z $open && $text != */ ]] && ! type compopt >/dev/null 2>&1; then COMPREPLY[0]="$text "; fi
}

# __innctl_quoted <text>: sets text as it must stand behind the open quote, or without one.
__innctl_quoted() {
  local rest=$1 character
  if [[ -z $open ]]; then
    printf -v text %q "$1"
    # Commas stay what they are, or the words of a list would not begin alike.
    text=$\{text//\\,/,}
    return 0
  fi
  text=''
  while [[ -n $rest ]]; do
    character=$\{rest:0:1} rest=$\{rest:1}
    case $open$character in
      "''") text=$text"'\''" ;;
      '"!') text=$text"\"'!'\"" ;;
      '"'[\"\\$\`]) text=$text\\$character ;;
      *) text=$text$character ;;
    esac
  done
}

if type compopt >/dev/null 2>&1; then
  complete -F _innctl innctl
else
  complete -o nospace -F _innctl innctl
fi
`;
