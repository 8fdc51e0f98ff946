
# _crigate_asked PROGRAM KIND WORD...: names that only the node knows. It answers within half a second, or not at all.
_crigate_asked() {
    "$1" complete "${@:2}" 2>/dev/null
}

# _crigate_candidates PROGRAM KIND VALUE WORD...: what VALUE may become.
_crigate_candidates() {
    local value=$3
    case $2 in
    file) compgen -f -- "$value" ;;
    folder) compgen -d -- "$value" ;;
    words:*) compgen -W "${2#words:}" -- "$value" ;;
    command) compgen -W "$(_crigate_commands)" -- "$value" ;;
    runtime | method | id) compgen -W "$(_crigate_asked "$1" "$2" "${@:4}")" -- "$value" ;;
    esac
}

# _crigate_operands COMMAND WORD...: which operand the last word is, from 1 on.
_crigate_operands() {
    local command=$1 number=1
    shift
    while [ $# -gt 1 ]; do
        case $1 in
        --*=*) ;;
        -?*) [ -z "$(_crigate_kind "$command" "$1")" ] || shift ;;
        *) number=$((number + 1)) ;;
        esac
        [ $# = 0 ] || shift
    done
    echo "$number"
}

_crigate() {
    # Words as they were typed: bash itself parts them at = and :
    local line=${COMP_LINE:0:COMP_POINT} words value command= option= kind number
    read -ra words <<<"$line"
    case $line in
    *[[:space:]]) words+=("") ;;
    esac
    value=${words[-1]}
    if [ "${#words[@]}" -gt 2 ]; then
        case ${words[1]} in
        -*) ;;
        *) command=${words[1]} ;;
        esac
    fi

    case $value in
    -*=*) option=${value%%=*} value=${value#*=} ;;
    *) option=${words[-2]} ;;
    esac
    kind=$(_crigate_kind "$command" "$option")
    if [ -z "$kind" ]; then
        case $value in
        -*) kind=words:$(_crigate_options "$command") ;;
        *)
            if [ "${#words[@]}" = 2 ]; then
                kind=command
            else
                number=$(_crigate_operands "$command" "${words[@]:${command:+1}+1}")
                kind=$(_crigate_operand "$command" "$number")
            fi
            ;;
        esac
    fi

    mapfile -t COMPREPLY < <(_crigate_candidates "$1" "$kind" "$value" "${words[@]:1}")
    case $kind in
    file | folder) compopt -o filenames 2>/dev/null ;;
    esac
    # bash puts in what follows the last of its breaks.
    case $value in
    *[=:]*) COMPREPLY=("${COMPREPLY[@]#"${value%"${value##*[=:]}"}"}") ;;
    esac
}

complete -F _crigate crigate
