import type { ParseArgsOptionsConfig } from 'node:util'
import { type LoadedSettings, loadSettings, type Settings, type SettingsSchema } from '@svc/config'
import {
  AppError,
  createLogger,
  type Logger,
  type Running,
  SettingsError,
  version,
} from '@svc/runtime'
import closeWithGrace from 'close-with-grace'
import { type Readiness, startHealth } from './health.ts'
import {
  help,
  type OptionValues,
  type ProcessArguments,
  readArguments,
  UsageError,
  usage,
  versionLine,
} from './process.arguments.ts'

/**
 * Maximum time of a shutdown after the drain, in milliseconds. With the default drain of 5 s, 5 s are left
 * of the 30 s that Kubernetes waits by default.
 */
const closeLimitMs = 20_000

export interface ProcessContext<S extends Settings = Settings> {
  readonly settings: S
  readonly log: Logger
}

/** A service that runs. Without `readiness`, it is ready from its start to its shutdown. */
export interface Serving extends Running {
  readonly port: number
  readonly readiness?: Readiness
  /** Sent to the parent over IPC when the service is ready, with the port. */
  readonly report?: Readonly<Record<string, unknown>>
}

/** Resolves with nothing for a command that is done. */
export type RunCommand<S extends Settings = Settings> = (
  context: ProcessContext<S>,
) => Promise<(Running & Partial<Serving>) | undefined>

/** A command of the program. */
export interface ProcessCommand<S extends Settings = Settings> {
  /** One line for `--help`, after the name of the command. */
  readonly about: string
  /** Options for `--help`, such as `--name NAME`. */
  readonly usage?: string
  readonly options?: ParseArgsOptionsConfig
  /** Whether standard output is for its result. It logs to standard error then. */
  readonly writesResult?: boolean
  /**
   * Called before the settings are read.
   *
   * @throws {AppError} `invalid_argument` for options that make no sense
   */
  readonly prepare: (values: OptionValues) => RunCommand<S>
}

export interface Service<S extends Settings = Settings> {
  /** For example `auth`; its program is `svc-auth`. */
  readonly name: string
  /** One line for `--help`. */
  readonly about: string
  /** Every setting that this service reads. */
  readonly settings: SettingsSchema<S>
  /**
   * Checks for settings that this service needs. They start nothing, and throw a {@link SettingsError},
   * or an {@link AppError} for files that cannot be used.
   */
  readonly needs: readonly ((settings: S) => unknown)[]
  /** By name, of one or more words. `serve` is the default. */
  readonly commands: Readonly<Record<string, ProcessCommand<S>>>
}

/**
 * The lifecycle of a service's process: arguments, settings, logger, health, start, signals, shutdown.
 *
 * Exit code 2 is for bad settings or arguments, 1 for a start that fails and unexpected errors. A parent
 * with an IPC channel receives `{ ready: true, port }` and the report. The process ends with its parent.
 */
export async function runProcess<S extends Settings>(service: Service<S>): Promise<void> {
  const prepared = prepare(service)
  if (prepared === undefined) return
  const { command, run, check } = prepared
  const output = command.writesResult ? process.stderr : process.stdout
  const loaded = readSettings(service, output.isTTY === true)
  if (loaded === undefined) return
  const { settings, source } = loaded
  if (check) return checkSettings(service, settings)
  const log = createLogger(settings.log, service.name, output.fd)
  const name = `svc-${service.name}`
  if (!command.writesResult) log.info({ name, version, node: process.versions.node }, 'starting')
  if (source === undefined) log.info('no configuration file found, using defaults')
  else log.info({ source }, 'read the configuration file')
  let running: (Running & Partial<Serving>) | undefined
  let health: Running | undefined
  let isEnding = false
  const readiness = (): Readiness => {
    const { isReady = true, parts } = running?.readiness ?? {}
    return { isReady: running !== undefined && !isEnding && isReady, parts }
  }
  const drainMs = settings.server.drain
  // A second signal ends the process at once.
  closeWithGrace({ delay: drainMs + closeLimitMs, logger: false }, async ({ err, signal }) => {
    isEnding = true
    if (err !== undefined) log.fatal({ err }, 'unexpected error; ending')
    else {
      log.info({ signal, drainMs }, 'ending')
      if (drainMs > 0) await running?.drain?.(drainMs)
    }
    await running?.close()
    await health?.close()
    if (err !== undefined) process.exitCode = 1
  })
  if (process.channel !== undefined) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
    process.channel.unref()
  }
  try {
    const { listen } = settings.health
    if (command === service.commands.serve && listen !== undefined) {
      health = await startHealth(listen, readiness)
    }
    running = await run({ settings, log })
  } catch (error) {
    if (error instanceof SettingsError) {
      log.fatal(error.problems.join('; '))
      process.exit(2)
    }
    if (!(error instanceof AppError)) throw error
    log.fatal({ reason: error.reason }, error.message)
    process.exit(1)
  }
  if (running === undefined) process.exit(0)
  const { port, report } = running
  if (port !== undefined) process.send?.({ ...report, ready: true, port })
}

/** @returns nothing when it has printed help, the version or an error */
function prepare<S extends Settings>(
  service: Service<S>,
): (ProcessArguments<S> & { readonly run: RunCommand<S> }) | undefined {
  let commandName: string | undefined
  try {
    const read = readArguments(service, process.argv.slice(2))
    if (read.help || read.version) {
      process.stdout.write(read.help ? help(service) : `${versionLine(service)}\n`)
      return undefined
    }
    commandName = read.commandName
    return { ...read, run: read.command.prepare(read.values) }
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof AppError)) throw error
    if (error instanceof UsageError) commandName = error.command
    endWith(2, `${error.message}\n${usage(service, commandName)}`)
    return undefined
  }
}

function checkSettings<S extends Settings>({ name, needs }: Service<S>, settings: S): void {
  const problems = needs.flatMap((find) => problemsOf(() => find(settings)))
  if (problems.length > 0) endWith(2, problems.join('\n'))
  else process.stdout.write(`the settings of svc-${name} are good\n`)
}

function problemsOf(find: () => unknown): readonly string[] {
  try {
    find()
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    if (error instanceof AppError) return [error.message]
    throw error
  }
}

function readSettings<S extends Settings>(
  { settings }: Service<S>,
  isTerminal: boolean,
): LoadedSettings<S> | undefined {
  try {
    return loadSettings(settings, { argv: process.argv.slice(2), env: process.env, isTerminal })
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    endWith(2, error.problems.join('\n'))
    return undefined
  }
}

function endWith(exitCode: number, message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = exitCode
}
