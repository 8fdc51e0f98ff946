
# _crigate_asked [OPTION_OF_COMPADD]... KIND: names that only the node knows. crigate answers within half a second, or not at all.
_crigate_asked() {
    local -a names
    names=(${(f)"$($crigate_program complete $@[-1] "${(@)crigate_line}" 2>/dev/null)"})
    compadd "${(@)@[1,-2]}" -a names
}

_crigate() {
    local crigate_program=${~words[1]} command
    local -a crigate_line=("${(@)words[2,-1]}")
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _crigate_commands
        return
    fi
    if [[ $words[2] != -* ]]; then
        command=$words[2]
        shift words
        (( CURRENT-- ))
    fi
    _crigate_arguments "$command"
}

# As a function of fpath it runs at once; sourced, it is registered.
if [[ $funcstack[1] == _crigate ]]; then
    _crigate "$@"
else
    compdef _crigate crigate
fi
