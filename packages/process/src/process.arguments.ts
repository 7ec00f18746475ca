import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Settings } from '@svc/config'
import { version } from '@svc/runtime'
import type { ProcessCommand, Service } from './process.ts'

const globalOptions = {
  config: { type: 'string', multiple: true },
  check: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const satisfies ParseArgsOptionsConfig

/** Arguments that make no sense. The message is one sentence; {@link usage} goes with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** Undefined when it is not known. */
  readonly command: string | undefined

  constructor(message: string, command?: string) {
    super(message)
    this.command = command
  }
}

/** The arguments of a process. */
export interface ProcessArguments<S extends Settings> {
  readonly command: ProcessCommand<S>
  readonly commandName: string
  /** Options of the command. */
  readonly values: OptionValues
  readonly check: boolean
  readonly version: boolean
  readonly help: boolean
}

/** Description of a command and of a service, for `--help`. */
type Command = Pick<ProcessCommand, 'about' | 'usage'>
type Described = Pick<Service, 'name' | 'about'> & {
  readonly commands: Readonly<Record<string, Command>>
}

export type OptionValues = ReturnType<typeof parseArgs>['values']

/**
 * @param argv arguments after the name of the program
 * @throws {UsageError}
 */
export function readArguments<S extends Settings>(
  { commands }: Service<S>,
  argv: readonly string[],
): ProcessArguments<S> {
  // Options of all commands, so that the parser knows which take a value.
  const options = Object.assign({}, ...Object.values(commands).map((one) => one.options))
  const begun = Object.keys(commands).find((name) => `${argv.join(' ')} `.startsWith(`${name} `))
  const { values, positionals } = parse([...argv], { ...options, ...globalOptions }, begun)
  const commandName = positionals.join(' ') || 'serve'
  const command = Object.hasOwn(commands, commandName) ? commands[commandName] : undefined
  if (command === undefined) throw new UsageError(`there is no command "${commandName}"`)

  const { config, check, version, help, ...own } = values
  const stray = Object.keys(own).find((name) => !Object.hasOwn(command.options ?? {}, name))
  if (stray !== undefined) {
    throw new UsageError(`--${stray} is no option of ${commandName}`, commandName)
  }
  if (Array.isArray(config) && config.length > 1) {
    throw new UsageError('--config can be given once', commandName)
  }
  const flags = { check: check === true, version: version === true, help: help === true }
  return { command, commandName, values: own, ...flags }
}

function parse(args: string[], options: ParseArgsOptionsConfig, commandName: string | undefined) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The rest of the message is advice for values that begin with a dash.
    const [sentence = ''] = error.message.split(/\.\s/)
    throw new UsageError(sentence, commandName)
  }
}

/** `svc-auth 1.0.0 (Node.js 24.4.1)` */
export function versionLine({ name }: Described): string {
  return `svc-${name} ${version} (Node.js ${process.versions.node})`
}

/** @returns one line */
export function usage({ name, commands }: Described, commandName?: string): string {
  const { usage = '' } = commands[commandName ?? ''] ?? {}
  const words = commandName === undefined ? ['[COMMAND]'] : [commandName, usage]
  return ['Usage:', `svc-${name}`, ...words, '[--config FILE]'].filter(Boolean).join(' ')
}

export function help(service: Described): string {
  const { name, about, commands } = service
  return [
    `svc-${name} ${version}: ${about}`,
    '',
    usage(service),
    '',
    ...Object.entries(commands).flatMap(([name, command]) => describe(name, command)),
    '',
    '  --config FILE     reads the settings from this file',
    '  --check           checks the settings and ends, with 2 if they are bad',
    '  --version         prints the version and ends',
    '  --help            prints this and ends',
    '',
  ].join('\n')
}

function describe(name: string, { about, usage }: Command): string[] {
  const text = name === 'serve' ? `${about} (the default)` : about
  if (usage === undefined) return [`  ${name.padEnd(17)} ${text}`]
  // Keeps an option and its value on one line.
  const parts = usage.split(/ (?=\[|--)/)
  const first = `  ${name} ${parts[0] ?? ''}`
  return [first, ...parts.slice(1).map((part) => `      ${part}`), `${' '.repeat(20)}${text}`]
}
