import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Settings } from '@svc/config'
import { AppError, version } from '@svc/runtime'
import type { ProcessCommand, Service } from './process.ts'

const globalOptions = {
  config: { type: 'string', multiple: true },
  check: { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig

/** Arguments that make no sense. The message is one sentence and the line of usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(message: string, service: Described, commandName?: string) {
    super(`${message}\n${usage(service, commandName)}`)
  }
}

/** Description of a service and its commands, for `--help`. */
type Described = Pick<Service, 'name' | 'about' | 'defaultCommand'> & {
  readonly commands: Readonly<Record<string, Pick<ProcessCommand, 'about' | 'usage'>>>
}

export type OptionValues = ReturnType<typeof parseArgs>['values']

/**
 * @param argv arguments after the name of the program
 * @returns the command, the file that `--config` names, and `prepare`, which throws a
 *   {@link UsageError}, too
 * @throws {UsageError}
 */
export function readArguments<S extends Settings>(service: Service<S>, argv: readonly string[]) {
  const { commands, defaultCommand = 'serve' } = service
  // Options of all commands, so that the parser knows which take a value.
  const options = Object.assign({}, ...Object.values(commands).map((one) => one.options))
  const begun = Object.keys(commands).find((name) => `${argv.join(' ')} `.startsWith(`${name} `))
  const refuse = (message: string) => new UsageError(message, service, begun)
  const { values, positionals } = parse([...argv], { ...options, ...globalOptions }, refuse)
  const name = positionals.join(' ') || defaultCommand
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) throw refuse(`there is no command "${name}"`)

  const { config = [], check = false, version = false, help = false, ...own } = values
  const stray = Object.keys(own).find((option) => !Object.hasOwn(command.options ?? {}, option))
  if (stray !== undefined) throw refuse(`--${stray} is no option of ${name}`)
  const [file, ...others] = [config].flat().map(String)
  if (others.length > 0) throw refuse('--config can be given once')
  const prepare = () => {
    try {
      return command.prepare(own)
    } catch (error) {
      throw error instanceof AppError ? refuse(error.message) : error
    }
  }
  return { command, file, check, version, help, prepare }
}

function parse(
  args: string[],
  options: ParseArgsOptionsConfig,
  refuse: (message: string) => UsageError,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The rest of the message is advice for values that begin with a dash.
    const [sentence = ''] = error.message.split(/\.\s/)
    throw refuse(sentence)
  }
}

/** @returns one line */
function usage({ name, commands }: Described, commandName?: string): string {
  const { usage = '' } = commands[commandName ?? ''] ?? {}
  const words = commandName === undefined ? ['[COMMAND]'] : [commandName, usage]
  return ['Usage:', `svc-${name}`, ...words, '[--config FILE]'].filter(Boolean).join(' ')
}

export function help(service: Described): string {
  const { name, about, commands, defaultCommand = 'serve' } = service
  const describe = ([name, { about, usage }]: [
    string,
    Described['commands'][string],
  ]): string[] => {
    const text = name === defaultCommand ? `${about} (the default)` : about
    if (usage === undefined) return [`  ${name.padEnd(17)} ${text}`]
    // Keeps an option and its value on one line.
    const parts = usage.split(/ (?=\[|--)/)
    const first = `  ${name} ${parts[0] ?? ''}`
    return [first, ...parts.slice(1).map((part) => `      ${part}`), `${' '.repeat(20)}${text}`]
  }
  return [
    `svc-${name} ${version}: ${about}`,
    '',
    usage(service),
    '',
    ...Object.entries(commands).flatMap(describe),
    '',
    '  --config FILE     reads the settings from this file',
    '  --check           checks the settings and ends, with 2 if they are bad',
    '  --version         prints the version and ends',
    '  --help            prints this and ends',
    '',
  ].join('\n')
}
