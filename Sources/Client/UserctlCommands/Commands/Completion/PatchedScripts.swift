/// The argument parser's zsh script, patched: it quotes `!` in candidates and completes `--option=value`.
func patchedZshScript(_ script: String) -> String {
    let script = script.replacing("unsetopt aliases banghist", with: "unsetopt aliases")
    let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
        // An option with a value: `'--limit[what it is]:number:'`, with a star if it can be repeated.
        guard line.contains("  '--") || line.contains("  '*--"), line.contains("]:"),
            let bracket = line.firstIndex(of: "[")
        else {
            return line
        }
        return "\(line[..<bracket])=\(line[bracket...])"
    }
    return lines.joined(separator: "\n") + "\n"
}

/// The argument parser's bash script, patched: `compgen -W` does not run a `$(…)` in a candidate, words that bash splits
/// at @, : and = are joined, and not all candidates are treated as file names.
func patchedBashScript(_ script: String) -> String {
    let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.filter { !$0.hasPrefix("complete ") }.joined(separator: "\n") + "\n" + bashPatches
}

private let bashPatches = #"""
    __userctl_add_completions() {
        local completion
        local -a words
        if [[ $1 == -W ]]; then
            mapfile -t words <<<"$2"
            set -- -W "$(printf '%q\n' "${words[@]}")"
        else
            files=true
        fi
        while IFS='' read -r completion; do
            COMPREPLY+=("$completion")
        done < <(IFS=$'\n' compgen "$@" -- "$cur")
    }

    # Calls the argument parser's function with the words before the cursor, joined where bash has split them.
    __userctl() {
        local line=${COMP_LINE:0:COMP_POINT} word blank
        local -a words=()
        local -i index
        for ((index = 0; index <= COMP_CWORD; index++)); do
            blank=${line%%[![:space:]]*}
            line=${line#"$blank"}
            word=${COMP_WORDS[index]}
            ((index < COMP_CWORD)) || word=$line
            line=${line#"$word"}
            if ((index == 0)) || [[ -n $blank ]]; then words+=("$word"); else words[-1]+=$word; fi
        done
        local replaced=$2 files=false
        word=${words[-1]}
        # An option and its value are two words.
        if [[ $word == --*=* ]]; then
            words[-1]=${word%%=*}
            word=${word#*=}
            words+=("$word")
        fi
        local COMP_LINE="${words[*]}"
        local -a COMP_WORDS=("${words[@]}")
        local COMP_POINT=${#COMP_LINE} COMP_CWORD=$((${#words[@]} - 1))

        _userctl "$1" "$word" "${words[-2]}"

        if $files; then
            # readline quotes file names and appends a slash to folders.
            compopt -o filenames
            return
        fi
        local reply before=${word%"$replaced"}
        for index in "${!COMPREPLY[@]}"; do
            reply=${COMPREPLY[index]#"$before"}
            if [[ $reply != *[^[:alnum:]@%+=:,./_-]* ]]; then
                COMPREPLY[index]=$reply
            elif [[ ${word//\\?/} == *[\"\']* ]]; then
                # Quoting inside quotes is not supported.
                unset "COMPREPLY[index]"
            else
                printf -v "COMPREPLY[index]" %q "$reply"
            fi
        done
    }

    complete -F __userctl userctl

    """#
