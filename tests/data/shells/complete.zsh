compdef() { }
source "$1"
_describe() { print -l -- ${(P)3} ${(P)4} }
compadd() { print -l -- "$@" }
words=(profgate flame) CURRENT=2
_profgate_completion
