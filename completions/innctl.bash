# Completions of innctl for bash 3.2 and later: they ask "innctl __complete".

_innctl() {
  local IFS=$' \t\n' program=${1-innctl} line=${COMP_LINE-} point=${COMP_POINT-0} text last
  COMPREPLY=()
  # Completions of other commands may set only the words, in which bash has split at = and : as well.
  if [[ -z $line ]]; then
    line="${COMP_WORDS[*]:0:COMP_CWORD+1}" line=${line// = /=} point=${#line}
  fi
  # An alias or a function may have any name.
  program=${program/#\~\//${HOME-}/}
  if [[ $(type -t "$program") != file ]]; then program=innctl; fi
  text=$(command "$program" __complete --bash "${line:0:point}" "${line:point}" "${2-${COMP_WORDS[COMP_CWORD]-}}" \
    "${COMP_TYPE-}" "$(type -t compopt)" </dev/null 2>/dev/null) || return 0
  # One candidate a line, and a directive on the last one.
  IFS=$'\n' read -r -d '' -a COMPREPLY <<<"$text" || last=$((${#COMPREPLY[@]} - 1))
  if [[ ${last:--1} == -1 ]]; then return 0; fi
  text=${COMPREPLY[last]}
  unset "COMPREPLY[last]"
  case $text in
    :nospace*) compopt -o nospace || return 0 ;;
    :files*) compopt -o default || _innctl_paths -f "${2-}" ;;
    :folders*) compopt -o dirnames || _innctl_paths -d "${2-}" ;;
  esac 2>/dev/null
}

# _innctl_paths -f|-d <typed>: for an old bash, where readline cannot be asked to complete a file.
_innctl_paths() {
  local path
  while IFS= read -r path; do
    if [[ -z $path ]]; then continue; fi
    printf -v text %q "$path"
    if [[ -d $path ]]; then text=$text/; fi
    COMPREPLY[${#COMPREPLY[@]}]=$text
  done <<<"$(compgen "$1" -- "$2")"
  if [[ ${#COMPREPLY[@]} == 1 && $text != */ ]]; then COMPREPLY[0]="$text "; fi
}

if type compopt >/dev/null 2>&1; then
  complete -F _innctl innctl
else
  # It cannot be asked either to add no blank.
  complete -o nospace -F _innctl innctl
fi
