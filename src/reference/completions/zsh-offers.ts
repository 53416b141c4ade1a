import { script } from './rows.ts';

/** What zsh offers at the cursor; quoting and matching are the completion system's. */
export const zshOffers = script`# _innctl_flags: those of the command, then those of all commands, without those that are given and may not be again.
_innctl_flags() {
  local flag name
  found=()
  for flag in "$\{flags[@]}" "$\{shared[@]}"; do
    takes=''
    names=$\{flag%%:*}
    [[ $names != *\=* ]] || { takes=$\{names#*\=} names=$\{names%%\=*} }
    if (( $\{given[(Ie)$names]} )) && [[ $takes != [,+]* ]]; then continue; fi
    [[ -n $PREFIX ]] || names=$\{names##*/}
    for name in $\{(s:/:)names}; do found+=("$name:$\{flag#*:}"); done
  done
  _describe -t options flag found
}

# _innctl_letters: a value right behind the letter of its flag, as in -ojson.
_innctl_letters() {
  local letters=$\{PREFIX#-}
  local -i size=1
  takes=switch
  while [[ -n $letters && $takes == switch ]]; do
    _innctl_flag "-$\{letters[1]}" || return 1
    size+=1 letters=$\{letters[2,-1]}
  done
  if [[ -z $letters ]]; then
    compadd -- "$PREFIX"
  else
    compset -p $size
    _innctl_offer "$takes"
  fi
}

# _innctl_argument: a child, or a value of the argument at this position; flags where no argument is left.
_innctl_argument() {
  local argument result=1
  local -i left=position
  if (( $#children )); then
    found=("$\{children[@]}")
    _describe -t commands command found && result=0
    if [[ -n $in_help ]] && (( ! position )); then _innctl_offer "$topics[1]" topic && result=0; fi
    return result
  fi
  [[ -z $in_help ]] || return 1
  for argument in "$\{arguments[@]}"; do
    if (( ! left )) || [[ $argument == +* ]]; then
      _innctl_offer "$argument"
      return
    fi
    left+=-1
  done
  [[ -n $PREFIX ]] || _innctl_flags
}

# _innctl_offer <takes> [what they are]
_innctl_offer() {
  local what=$1 already='' value
  if [[ $what == ,* ]] && compset -P '*,'; then already=$\{(Q)IPREFIX##*=}; fi
  what=$\{what#[,+.]}
  case $what in
    (switch) return 1 ;;
    (@*)
      _innctl_cached "$\{what#@}"
      # Without what is in the list already.
      for value in $\{(s:,:)already}; do found=("$\{(@)found:#$\{(b)value}(|:*)}"); done
      _describe -t "$\{what#@}" "$\{$\{what#@}//-/ }" found
      ;;
    (%file) _files ;;
    (%folder) _path_files -/ ;;
    (*)
      found=("$\{(s:|:)what}")
      (( $#found )) && _describe -t values "$\{2:-value}" found
      ;;
  esac
}

# _innctl_cached <name>: sets found to values that a list command left behind, each with its description.
_innctl_cached() {
  emulate -L zsh
  setopt extended_glob
  local file=$1 folder text tab=$'\t'
  local -a lines
  found=()
  if [[ $file == *-emails && $\{(L)INNCTL_COMPLETE_EMAILS} != (1|true|yes) ]]; then return; fi
  _innctl_folder "$file" || return
  # Something that a list command did not write is not worth the time.
  lines=("$folder/$file"(N-.rLm-5))
  (( $#lines )) || return
  { text=$(<"$folder/$file") } 2>/dev/null
  lines=("$\{(@f)text}")
  for text in "$\{(@)lines[1,5000]}"; do
    [[ $text == *$tab* && $text != *[[:cntrl:]]*[[:cntrl:]]* && $text != $tab* && $#text -le 400 ]] || continue
    value=$\{text%%$tab*} text=$\{text#*$tab}
    # An empty description would make the list one of descriptions.
    found+=("$\{$\{value//\\/\\\\}//:/\\:}$\{text:+:$text}")
  done
}

# _innctl_folder <name>: sets folder to where the file is; a profile whose name is none has nothing.
_innctl_folder() {
  local named=$profile
  local -a small
  folder=$\{HOME:+$HOME/.local/state/innctl}
  [[ $\{XDG_STATE_HOME-} != /* ]] || folder=$XDG_STATE_HOME/innctl
  [[ -z $\{INNCTL_CONFIG_DIR-} ]] || folder=$INNCTL_CONFIG_DIR/state
  [[ -n $folder ]] || return 1
  folder=$folder/completion
  [[ $1 != profiles ]] || return 0
  if [[ -z $profile ]]; then
    # What is longer than a name is not ours, and would be read to its end.
    small=("$folder/active"(N-.rLk-2))
    { (( ! $#small )) || IFS=$'\t' read -r named <"$folder/active" } 2>/dev/null
    named=$\{INNCTL_PROFILE:-$named}
    # Variables that name a service win over every profile but the sandbox.
    if [[ $named != sandbox && -n $\{INNCTL_BASE_URL-}$\{INNCTL_IDENTITY_URL-} ]]; then
      folder=$folder/by-profile/_environment
      return 0
    fi
  fi
  case $named in
    (''|[-_]*|*[^abcdefghijklmnopqrstuvwxyz0123456789_-]*) return 1 ;;
  esac
  folder=$folder/by-profile/$named
}

if [[ $\{funcstack[1]-} == _innctl ]]; then
  _innctl "$@"
elif (( $\{+functions[compdef]} )); then
  compdef _innctl innctl
fi
`;
