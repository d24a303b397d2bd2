/**
 * The completion scripts. What is typed and what is offered are data to them: the names of tools are the words of
 * servers, and neither they nor a half-typed command may be evaluated by pressing a key. (`eval` would do that to the
 * one, `compgen -W` to the other.)
 */
export type Shell = 'bash' | 'zsh' | 'fish'

/** Of each line the word before the tab; `:4` says that no file name fits. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# completion of cordon for bash
_cordon() {
    local word about
    COMPREPLY=()
    while IFS=$'\\t' read -r word about; do
        if [[ $word == :4 ]]; then
            compopt +o default
        elif [[ $word != :* && $word == "\${COMP_WORDS[COMP_CWORD]}"* ]]; then
            COMPREPLY+=("$(printf %q "$word")")
        fi
    done < <(cordon complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _cordon cordon
`,
  zsh: `#compdef cordon
# completion of cordon for zsh
_cordon() {
    local word about files=yes
    local -a found
    while IFS=$'\\t' read -r word about; do
        if [[ $word == :4 ]]; then
            files=no
        elif [[ $word != :* ]]; then
            found+=("\${word//:/\\\\:}:$about")
        fi
    done < <(cordon complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
    _describe cordon found || [[ $files == no ]] || _files
}
compdef _cordon cordon
`,
  fish: `# completion of cordon for fish
function __cordon_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l answer (cordon complete -- $typed[2..] "$current" 2>/dev/null)
    string match --invert --regex '^:' -- $answer
    contains -- :4 $answer; or __fish_complete_path "$current"
end
complete -c cordon -f -a '(__cordon_complete)'
`,
}
