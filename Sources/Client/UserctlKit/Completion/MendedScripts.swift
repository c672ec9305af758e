/// The argument parser's script for zsh, but that it leaves a ! in a candidate unquoted, and knows no `--option=value`.
func mendedZshScript(_ script: String) -> String {
    let script = script.replacing("unsetopt aliases banghist", with: "unsetopt aliases")
    let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
        // An option that takes a value: `'--limit[what it is]:number:'`, or with a star where it may be repeated.
        guard line.contains("  '--") || line.contains("  '*--"), line.contains("]:"),
            let bracket = line.firstIndex(of: "[")
        else {
            return line
        }
        return "\(line[..<bracket])=\(line[bracket...])"
    }
    return lines.joined(separator: "\n") + "\n"
}

/// The argument parser's script for bash, but that it has `compgen -W` run what stands in a candidate as `$(…)`, does not
/// know that bash takes words apart at @, : and =, and takes all candidates for names of files.
func mendedBashScript(_ script: String) -> String {
    let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.filter { !$0.hasPrefix("complete ") }.joined(separator: "\n") + "\n" + bashMends
}

private let bashMends = #"""
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

    # Calls the function above for the words before the cursor, each as a whole.
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
            # Has readline quote them, and end folders with a slash.
            compopt -o filenames
            return
        fi
        local reply before=${word%"$replaced"}
        for index in "${!COMPREPLY[@]}"; do
            reply=${COMPREPLY[index]#"$before"}
            if [[ $reply != *[^[:alnum:]@%+=:,./_-]* ]]; then
                COMPREPLY[index]=$reply
            elif [[ ${word//\\?/} == *[\"\']* ]]; then
                # Within quotes it would have to be quoted otherwise.
                unset "COMPREPLY[index]"
            else
                printf -v "COMPREPLY[index]" %q "$reply"
            fi
        done
    }

    complete -F __userctl userctl

    """#
