export const shells = ['bash', 'zsh', 'fish'] as const

/** Each hands the words so far to `svc __complete`, and offers what it prints. */
export const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(svc __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); fi
}
complete -F _svc svc`,
  zsh: `_svc() {
  local -a candidates
  candidates=("\${(@f)$(svc __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then compadd -a candidates; else _files; fi
}
compdef _svc svc`,
  fish: `function __svc_complete
  set -l words (commandline -opc) (commandline -ct)
  svc __complete -- $words[2..-1] 2>/dev/null
end
complete -c svc -a '(__svc_complete)'`,
}
