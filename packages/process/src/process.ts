import type { ParseArgsOptionsConfig } from 'node:util'
import { loadSettings, type Settings, type SettingsSchema } from '@svc/config'
import {
  AppError,
  createLogger,
  type Logger,
  type Running,
  SettingsError,
  version,
} from '@svc/runtime'
import { logFields, type Metrics, startContexts } from '@svc/telemetry'
import type { Otlp } from '@svc/telemetry/otlp'
import closeWithGrace from 'close-with-grace'
import { disableFastApiCalls } from './fast-api-calls.ts'
import { type Readiness, startMonitoring } from './monitoring.ts'
import { help, type OptionValues, readArguments, UsageError } from './process.arguments.ts'

/**
 * Maximum time of a shutdown after the drain, in milliseconds. With the default drain of 5 s, 5 s are left
 * of the 30 s that Kubernetes waits by default.
 */
const closeLimitMs = 20_000

/** Maximum drain after an unexpected error, in milliseconds: what the process does then is not certain. */
const errorDrainMs = 4000

/** Maximum time of a shutdown after an unexpected error, in milliseconds. It is over within 10 s. */
const errorLimitMs = 9000

/** After one of these no code can run: a listener would let the process do the same for ever, and answer nothing. */
const crashes = [
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
] satisfies closeWithGrace.Options['skip']

export interface ProcessContext<S extends Settings = Settings> {
  readonly settings: S
  readonly log: Logger
  /** Says what the start waits for, such as the schema of a database, for `/readyz`; `undefined` when it is there. */
  readonly onWait?: ((reason: string | undefined) => void) | undefined
  /** What is measured; nothing where the metrics are off. */
  readonly metrics?: Pick<Metrics, 'scrape'> | undefined
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
  /** The command of no arguments. @default `serve`, which alone serves health. */
  readonly defaultCommand?: string
  /** By name, of one or more words. */
  readonly commands: Readonly<Record<string, ProcessCommand<S>>>
}

/**
 * The lifecycle of a service's process: arguments, settings, logger, health, start, signals, shutdown.
 *
 * Exit code 2 is for bad settings or arguments, 1 for a start that fails, a command that a signal ends before it
 * is done, and unexpected errors. A parent with an IPC channel receives `{ ready: true, port }` and the report. The
 * process ends with its parent.
 */
export async function runProcess<S extends Settings>(service: Service<S>): Promise<void> {
  disableFastApiCalls()
  try {
    await runCommand(service)
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof SettingsError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  }
}

async function runCommand<S extends Settings>(service: Service<S>): Promise<void> {
  const { name, needs } = service
  const read = readArguments(service, process.argv.slice(2))
  const { command, file } = read
  if (read.help) return print(help(service))
  if (read.version) return print(`svc-${name} ${version} (Node.js ${process.versions.node})\n`)
  const run = read.prepare()
  const { settings, source } = loadSettings(service.settings, { file, env: process.env })
  if (read.check) {
    const problems = needs.flatMap((find) => problemsOf(() => find(settings)))
    if (problems.length > 0) throw new SettingsError(problems)
    return print(`the settings of svc-${name} are good\n`)
  }
  const output = command.writesResult ? process.stderr : process.stdout
  const { level, encoding = output.isTTY ? 'console' : 'json' } = settings.log
  const log = createLogger({ level, encoding, fields: logFields }, name, output.fd)
  if (!command.writesResult) {
    log.info({ name: `svc-${name}`, version, node: process.versions.node }, 'starting')
  }
  if (source === undefined) log.info('no configuration file found, using defaults')
  else log.info({ source }, 'read the configuration file')
  const isServing = command === service.commands.serve
  // Before the service, whose instruments measure nothing else. It takes a while to load.
  startContexts()
  const otlp = isServing ? await startOtlp(`svc-${name}`, settings.telemetry, log) : undefined
  const hasMetrics = isServing && settings.metrics.enabled
  const metrics = hasMetrics ? (await import('@svc/telemetry/start')).startMetrics(otlp) : undefined
  await start(run, { settings, log, metrics }, isServing, otlp)
}

/** Loads what sends traces and metrics to a collector, where there is one. */
async function startOtlp(
  service: string,
  { otlp }: Settings['telemetry'],
  log: Logger,
): Promise<Otlp | undefined> {
  const { endpoint, ...rest } = otlp
  if (endpoint === undefined) return undefined
  const { startOtlp } = await import('@svc/telemetry/otlp')
  log.info({ endpoint, traces: rest.traces, metrics: rest.metrics }, 'sending telemetry by OTLP')
  return startOtlp({ service, endpoint, log, ...rest })
}

/**
 * @param isServing whether it has health and metrics to serve
 * @param otlp what sends its telemetry, the last of it when all else has ended
 */
async function start<S extends Settings>(
  run: RunCommand<S>,
  context: ProcessContext<S>,
  isServing: boolean,
  otlp: Running | undefined,
): Promise<void> {
  const { log } = context
  let running: (Running & Partial<Serving>) | undefined
  let monitoring: Running | undefined
  let isEnding = false
  let starting: Readiness['parts']
  const onWait = (reason: string | undefined) => {
    starting = reason === undefined ? undefined : { start: { state: 'waiting', reason } }
  }
  const readiness = (): Readiness => {
    if (running === undefined) return { isReady: false, isEnding, parts: starting }
    const { isReady = true, parts } = running.readiness ?? {}
    return { isReady: !isEnding && isReady, isEnding, parts }
  }
  const drainMs = context.settings.server.drain
  const options = {
    delay: drainMs + closeLimitMs,
    logger: false,
    // Else its own lines, which are no JSON.
    onSecondSignal: (signal: string | undefined) => log.warn({ signal }, 'ending at once'),
    onSecondError: (err: unknown) => log.fatal({ err }, 'unexpected error while ending'),
    onTimeout: (limitMs: number) => log.error({ limitMs }, 'ending with work that is not done'),
  } as const
  closeWithGrace({ ...options, skip: crashes }, async ({ err, signal }) => {
    isEnding = true
    const isFailure = err !== undefined
    if (!isFailure && !isServing && running === undefined) {
      // What comes after it, such as a deployment, must not take it as done.
      log.error({ signal }, 'ended before it was done')
      process.exit(1)
    }
    const ownDrainMs = isFailure ? Math.min(drainMs, errorDrainMs) : drainMs
    if (isFailure) {
      log.fatal({ err, drainMs: ownDrainMs }, 'unexpected error; ending')
      setTimeout(() => {
        options.onTimeout(errorLimitMs)
        process.exit(1)
      }, errorLimitMs)
    } else {
      log.info({ signal, drainMs }, 'ending')
    }
    try {
      if (ownDrainMs > 0) await running?.drain?.(ownDrainMs)
      await running?.close()
      await monitoring?.close()
      await otlp?.close()
      if (!isFailure) log.info('ended')
    } catch (error) {
      log.error({ err: error }, 'cannot end in order')
      throw error
    }
  })
  if (process.channel !== undefined) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
    process.channel.unref()
  }
  try {
    if (isServing) monitoring = await monitor(context, readiness)
    running = await run({ ...context, onWait })
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

/**
 * Serves health and metrics. That another process has `metrics.port` is logged and no reason not to serve; where
 * `health.listen` names the address, it is, as it has been.
 *
 * @throws {AppError} `failed_precondition` when it cannot listen on `health.listen`
 */
async function monitor(
  { settings, log, metrics }: ProcessContext,
  readiness: () => Readiness,
): Promise<Running | undefined> {
  const { listen } = settings.health
  const { host, port } = listen === undefined ? settings.metrics : hostAndPort(listen)
  try {
    const scrape = metrics?.scrape
    const monitoring = await startMonitoring({ host, port, readiness, log, scrape })
    log.info({ host, port: monitoring.port }, 'health and metrics are served')
    return monitoring
  } catch (error) {
    if (listen !== undefined || !(error instanceof AppError)) throw error
    log.warn(error.message)
    return undefined
  }
}

/** @param address `host:port`, with IPv6 in brackets */
function hostAndPort(address: string): { host: string; port: number } {
  const end = address.lastIndexOf(':')
  const host = address.slice(0, end).replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(address.slice(end + 1)) }
}

function print(text: string): void {
  process.stdout.write(text)
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
