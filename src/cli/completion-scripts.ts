/**
 * The completion scripts. They treat the typed words and the candidates as data: names of tools are untrusted, and
 * neither a name nor a half-typed command may be evaluated when a key is pressed. (`eval` would evaluate the command,
 * `compgen -W` the names.)
 */
export type Shell = 'bash' | 'zsh' | 'fish'

/** A candidate is the part of a line before the tab; `:4` means that no file name fits. */
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
