import { Writable } from 'node:stream'
import { CommanderError } from 'commander'
import { findConnection } from './connection.ts'
import { createContext } from './context.ts'
import { explainError } from './errors.ts'
import { CliError, exitCodeOf, exitCodes } from './exit-codes.ts'
import { loadCommands } from './groups.ts'
import { Output, ReaderGone } from './output.ts'
import { buildProgram, findCommandWord, type Selection, toUsageError } from './program.ts'
import type { Terminal } from './terminal.ts'

/** What a shell shows for a process that Ctrl-C has ended. */
const interrupted = 130

/**
 * Runs one command line.
 *
 * @param argv without the names of the runtime and of the program
 * @returns what the process ends with. It never rejects.
 */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  // Errors of the command line are told before the options are read, but as they ask.
  const early = new Output(terminal, { isJson: argv.includes('--json'), isQuiet: false })
  try {
    const selection = await select(argv, terminal, early)
    return typeof selection === 'number' ? selection : await execute(selection, terminal)
  } catch (error) {
    if (terminal.signal.aborted) return interrupted
    explainError(error, early)
    return exitCodeOf(error)
  }
}

/** @returns the command that the line is about, or what to end with when all has been said */
async function select(
  argv: readonly string[],
  { stdout, stderr }: Terminal,
  { isJson }: Output,
): Promise<Selection | number> {
  let selection: Selection | undefined
  // The version does not wait for the files of commands.
  const loaded = argv[0] === '--version' ? [] : await loadCommands(findCommandWord(argv))
  const told = {
    stdout,
    stderr: isJson ? new Writable({ write: (_, __, done) => done() }) : stderr,
  }
  const program = buildProgram(told, loaded, (selected) => {
    selection = selected
  })
  if (argv.length === 0) {
    program.outputHelp()
    return exitCodes.done
  }
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return exitCodes.done
    if (isJson) throw toUsage(error)
    return exitCodes.usage
  }
  return selection ?? exitCodes.usage
}

function missingCommand(): CliError {
  return new CliError(exitCodes.usage, 'a command is missing', '`svc -h` lists the commands.')
}

/** The error of a command line, without the help that is printed below its text. */
function toUsage({ code, message }: CommanderError): CliError {
  if (code === 'commander.help') return missingCommand()
  const [, said = message, meant] =
    /^(?:error: )?(.*)(?:\n\((.*)\))?/.exec(toUsageError(message)) ?? []
  return new CliError(exitCodes.usage, said, meant)
}

async function execute({ command, given, values }: Selection, terminal: Terminal): Promise<number> {
  const output = new Output(terminal, { isJson: given.json, isQuiet: given.quiet })
  const connection = await findConnection(terminal, given, output, command.makesProfile)
  const context = createContext(terminal, connection, output, given.comment)
  try {
    return (await command.run(context, values)) ?? exitCodes.done
  } catch (error) {
    if (terminal.signal.aborted) return interrupted
    if (error instanceof ReaderGone) return exitCodes.done
    explainError(error, output, connection)
    return exitCodeOf(error)
  }
}
