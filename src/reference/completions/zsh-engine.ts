import { script } from './rows.ts';

/** How zsh completes the rows of its script. */
export const zshEngine = script`# No program is started, and nothing that a file says is evaluated. All functions share the locals of _innctl; those that
# only look around run under zsh's own options, and what offers runs under those of the completion system.

_innctl() {
  local -a children synonyms flags arguments shared topics given found
  local row='' in_help='' pending='' profile='' ended='' is_after='' asked='' names='' takes='' kind='' tag='' value=''
  local -i position=0
  _innctl_look
  [[ -z $ended ]] || return 1
  if [[ -n $asked ]]; then
    _innctl_flag "$\{asked##*/}"
    _innctl_offer "$takes"
  elif [[ $PREFIX == --*=* ]]; then
    _innctl_flag "$\{PREFIX%%\=*}" || return 1
    compset -P 1 '*='
    _innctl_offer "$takes"
  elif [[ $PREFIX == -[^-]* ]]; then
    _innctl_letters
  elif [[ $PREFIX == -* ]]; then
    _innctl_flags
  else
    _innctl_argument
  fi
}

# _innctl_look: reads the words around the cursor.
_innctl_look() {
  emulate -L zsh
  local -i at
  _innctl_row ''
  shared=("$\{flags[@]}") flags=()
  for ((at = 2; at < CURRENT; at++)); do _innctl_scan "$\{(Q)words[at]}"; done
  [[ -z $ended ]] || return 0
  asked=$pending pending='' is_after=1
  [[ $takes != .* || $PREFIX != -* ]] || asked=''
  for ((at = CURRENT + 1; at <= $#words; at++)); do
    [[ -n $ended ]] || _innctl_scan "$\{(Q)words[at]}"
  done
  ended=''
}

# _innctl_scan <word>: what a word beside the cursor says of the others.
_innctl_scan() {
  local letters
  if [[ -n $pending && ! ( $takes == .* && $1 == -* ) ]]; then
    _innctl_take "$1"
    return
  fi
  pending=''
  case $1 in
    (--) ended=1 ;;
    (--*=*)
      _innctl_name "$\{1%%\=*}"
      _innctl_take "$\{1#*\=}"
      ;;
    (--*) _innctl_name "$1" ;;
    (-?*)
      letters=$\{1#-}
      while [[ -n $letters && -z $pending ]]; do
        _innctl_name "-$\{letters[1]}"
        letters=$\{letters[2,-1]}
      done
      [[ -z $letters ]] || _innctl_take "$letters"
      ;;
    (*) [[ -n $is_after ]] || _innctl_enter "$1" ;;
  esac
}

# _innctl_name <flag>: notes that it is given; pending is set where a value follows.
_innctl_name() {
  _innctl_flag "$1" || return 0
  given+=("$names")
  [[ $names != --sandbox ]] || profile=sandbox
  [[ $takes == switch ]] || pending=$names
}

_innctl_take() {
  [[ $pending != -p/--profile ]] || profile=$1
  pending=''
}

# _innctl_flag <name>: sets names and takes from its row, takes to "switch" where it has no value.
_innctl_flag() {
  local flag
  for flag in "$\{flags[@]}" "$\{shared[@]}"; do
    flag=$\{flag%%:*} names=$\{flag%%:*} takes=switch
    [[ $flag != *\=* ]] || { names=$\{flag%%\=*} takes=$\{flag#*\=} }
    [[ /$names/ != */$1/* ]] || return 0
  done
  return 1
}

# _innctl_enter <word>: goes down to the child of that name, or past an argument. The words after help name a command.
_innctl_enter() {
  local child
  if (( ! $#children )); then
    position+=1
    return
  fi
  for child in "$\{children[@]%%:*}" "$\{synonyms[@]}"; do
    [[ $\{child%%:*} == "$1" ]] || continue
    row=$\{row:+$row }$\{child#*:}
    _innctl_row "$row"
    if [[ -n $in_help ]]; then
      position=1 flags=() arguments=()
    elif [[ $row == help ]]; then
      topics=("$\{arguments[@]}") in_help=1 row=''
      _innctl_row ''
      flags=()
    fi
    return
  done
  ended=1
}
`;
