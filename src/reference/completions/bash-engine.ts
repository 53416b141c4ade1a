import { script } from './rows.ts';

/** How bash completes the rows of its script. */
export const bashEngine = script`# No program is started, nothing that a file says is evaluated, and nothing in the person's shell is changed. All
# functions share the locals of __innctl_complete.

_innctl() {
  COMPREPLY=()
  # On the left of || a person's "set -e" does not count.
  __innctl_complete "$\{2-$\{COMP_WORDS[COMP_CWORD]-}}" || return 0
}

# __innctl_complete <what readline replaces>: sets COMPREPLY.
__innctl_complete() {
  local IFS=$' \t\n' line=$\{COMP_LINE-} point=$\{COMP_POINT-0} words plain raw quote
  local children synonyms flags arguments shared topics='' names='' takes=''
  local command='' in_help='' position=0 pending='' profile='' given=' ' ended='' is_after='' index
  local typed asked prefix='' taken='' found described count=0
  if [[ -z $line ]]; then __innctl_join; fi
  found=() described=()
  __innctl_row ''
  shared=$flags flags=''
  __innctl_split "$\{line:0:point}"
  for ((index = 1; index < $\{#words[@]}; index++)); do __innctl_scan "$\{words[index]}"; done
  if [[ -n $ended ]]; then return 0; fi
  local typed_raw=$raw open=$quote
  typed=$plain asked=$pending pending='' is_after=1 line=$\{line:point}
  if [[ $takes == .* && $typed == -* ]]; then asked=''; fi
  if [[ $line == *[$' \t\n']* ]]; then
    __innctl_split "$\{line#*[$' \t\n']} "
    for ((index = 0; index < $\{#words[@]}; index++)); do __innctl_scan "$\{words[index]}"; done
  fi
  __innctl_offer
  __innctl_split "$\{typed_raw%"$1"}"
  __innctl_reply "$plain"
}

# __innctl_join: sets line and point from the words alone, which bash breaks at = and : as well.
__innctl_join() {
  local before=''
  for ((index = 0; index < $\{#COMP_WORDS[@]}; index++)); do
    if [[ -n $line && $\{COMP_WORDS[index]} != [=:]* && $before != [=:] ]]; then line="$line "; fi
    before=$\{COMP_WORDS[index]}
    line=$line$before
    if [[ $index == "$COMP_CWORD" ]]; then point=$\{#line}; fi
  done
}

# __innctl_split <text>: sets words to those that a blank ends, without their quoting; of what follows plain is the
# text without its quoting, raw the text itself, and quote a quote that is still open.
__innctl_split() {
  local rest=$1 part mark
  words=() plain='' raw='' quote=''
  while [[ -n $rest ]]; do
    case $quote in
      \') part=$\{rest%%\'*} ;;
      \") part=$\{rest%%[\\\"]*} ;;
      *) part=$\{rest%%[$' \t\n\'\"\\']*} ;;
    esac
    rest=$\{rest:$\{#part}}
    mark=$\{rest:0:1} rest=$\{rest:1} plain=$plain$part raw=$raw$part
    if [[ -z $mark ]]; then return 0; fi
    case $quote$mark in
      ' ' | $'\t' | $'\n')
        if [[ -n $raw ]]; then words[$\{#words[@]}]=$plain; fi
        plain='' raw='' mark=''
        ;;
      \' | \") quote=$mark ;;
      "''" | '""') quote='' ;;
      \\ | '"\')
        if [[ -n $quote && $rest != [\"\\$\`]* ]]; then plain=$plain$mark; fi
        plain=$plain$\{rest:0:1} mark=$mark$\{rest:0:1} rest=$\{rest:1}
        ;;
    esac
    raw=$raw$mark
  done
}

# __innctl_scan <word>: what a word beside the cursor says of the others.
__innctl_scan() {
  local letters
  if [[ -n $ended ]]; then return 0; fi
  if [[ -n $pending && ! ( $takes == .* && $1 == -* ) ]]; then
    __innctl_take "$1"
    return 0
  fi
  pending=''
  case $1 in
    --) ended=1 ;;
    --*=*)
      __innctl_name "$\{1%%=*}"
      __innctl_take "$\{1#*=}"
      ;;
    --*) __innctl_name "$1" ;;
    -?*)
      letters=$\{1#-}
      while [[ -n $letters && -z $pending ]]; do
        __innctl_name "-$\{letters:0:1}"
        letters=$\{letters:1}
      done
      if [[ -n $letters ]]; then __innctl_take "$letters"; fi
      ;;
    *) if [[ -z $is_after ]]; then __innctl_enter "$1"; fi ;;
  esac
}

# __innctl_name <flag>: notes that it is given; pending is set where a value follows.
__innctl_name() {
  __innctl_flag "$1" || return 0
  given="$given$names "
  if [[ $names == --sandbox ]]; then profile=sandbox; fi
  if [[ $takes != switch ]]; then pending=$names; fi
}

__innctl_take() {
  if [[ $pending == -p/--profile ]]; then profile=$1; fi
  pending=''
}

# __innctl_flag <name>: sets names and takes from its row, takes to "switch" where it has no value.
__innctl_flag() {
  local row
  for row in $flags $shared; do
    names=$\{row%%=*} takes=switch
    if [[ "/$names/" != *"/$1/"* ]]; then continue; fi
    if [[ $row == *=* ]]; then takes=$\{row#*=}; fi
    return 0
  done
  return 1
}

# __innctl_enter <word>: goes down to the child of that name, or past an argument. The words after help name a command.
__innctl_enter() {
  local child
  if [[ -z $in_help && -z $children || -n $in_help && $position -gt 0 && -z $children ]]; then
    position=$((position + 1))
    return 0
  fi
  for child in $children $synonyms; do
    if [[ $\{child%%:*} != "$1" ]]; then continue; fi
    command=$\{command:+$command }$\{child#*:}
    __innctl_row "$command"
    if [[ -n $in_help ]]; then position=1 flags='' arguments=''; fi
    if [[ -z $in_help && $command == help ]]; then
      topics=$arguments in_help=1 command=''
      __innctl_row ''
      flags=''
    fi
    return 0
  done
  ended=1
}
`;
