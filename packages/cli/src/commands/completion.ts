import { type Command, defineCommand } from '../command.ts'
import { complete } from '../completion.ts'
import { scripts, shells } from '../completion-scripts.ts'
import { findConnection } from '../connection.ts'
import { createContext } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { argument } from '../options.ts'
import { readGlobalOptions } from '../program.ts'

const completion = defineCommand({
  name: 'completion',
  summary: 'print the completion of a shell',
  description: `Keys of flags, segments, namespaces and tokens are asked of the service, for 0.3 s at most.

To set it up, add a line to the settings of the shell:
  bash  ~/.bashrc                   eval "$(svc completion bash)"
  zsh   ~/.zshrc, after compinit    eval "$(svc completion zsh)"
  fish  ~/.config/fish/config.fish  svc completion fish | source`,
  arguments: { shell: argument.one('SHELL', `${shells.join(', ')}`) },
  examples: [
    { line: 'svc completion bash > svc.bash', text: 'into a file' },
    { line: 'svc completion fish > svc.fish', text: 'into a file' },
  ],
  async run({ output }, { shell }) {
    const found = shells.find((known) => known === shell)
    if (found === undefined) {
      throw new CliError(
        exitCodes.usage,
        `there is no completion for "${shell}"`,
        `There is one for ${shells.join(', ')}.`,
      )
    }
    output.value({ shell: found, script: scripts[found] }, () => scripts[found])
  },
})

/** What the scripts ask: one candidate on each line. */
const candidates = defineCommand({
  name: '__complete',
  isHidden: true,
  summary: 'list what may come next on a command line',
  arguments: { words: argument.any('WORDS', 'the words so far, and the one that was begun') },
  examples: [],
  async run(context, { words }) {
    const { terminal, output } = context
    const { tokenFile, ...given } = readGlobalOptions(words.slice(0, -1))
    // The last word is not finished, and stdin is that of the terminal.
    const global = { ...given, tokenFile: tokenFile === '-' ? undefined : tokenFile }
    const connection = await findConnection(terminal, global, output)
    const typed = createContext(terminal, connection, output, undefined)
    for (const candidate of await complete(typed, words)) output.row(candidate, () => candidate)
  },
})

export const commands: readonly Command[] = [completion, candidates]
