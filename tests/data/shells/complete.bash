source "$1"
COMP_WORDS=(profgate flame) COMP_CWORD=1
"$(complete -p profgate | sed 's/.*-F \([^ ]*\).*/\1/')" profgate flame profgate
printf '%s\n' "${COMPREPLY[@]}"
