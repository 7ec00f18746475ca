import { parseArgs } from 'node:util'
import closeWithGrace from 'close-with-grace'
import { type LoadedSettings, loadSettings, type Settings, SettingsError } from './config/load.ts'
import { AppError } from './errors.ts'
import { createLogger, type Logger } from './logging.ts'
import type { Running } from './run.ts'

/** How long a process may take to end before it is ended. Kubernetes waits 30 s by default. */
const closeLimitMs = 20_000

export interface ProcessContext {
  readonly settings: Settings
  readonly log: Logger
}

/** What a process can be told to do, by name; `serve` is what it does when told nothing. */
export interface ProcessCommands {
  readonly serve: (context: ProcessContext) => Promise<Running & { readonly port: number }>
  readonly [command: string]: (context: ProcessContext) => Promise<Running | undefined>
}

/**
 * The whole life of a service's process: settings, logger, start, signals, orderly end.
 *
 * Ends with 2 for bad settings or an unknown command, with 1 when it cannot start or something
 * unforeseen happened. A parent that talks to it over IPC is told `{ ready: true, port }` and takes
 * the process with it when it dies, however it dies.
 */
export async function runProcess(service: string, commands: ProcessCommands): Promise<void> {
  const [command = 'serve'] = parseArgs({
    options: { config: { type: 'string' } },
    strict: false,
    allowPositionals: true,
  }).positionals
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined
  if (run === undefined) {
    const known = Object.keys(commands).join(', ')
    return endWith(2, `unknown command "${command}"; there are: ${known}`)
  }
  const loaded = readSettings()
  if (loaded === undefined) return
  const { settings, source } = loaded
  const log = createLogger(settings.log, service)
  if (source === undefined) log.info('no configuration file found, using defaults')
  else log.info({ source }, 'read the configuration file')
  let running: Running | undefined
  closeWithGrace({ delay: closeLimitMs, logger: false }, async ({ err, signal }) => {
    if (err !== undefined) log.fatal({ err }, 'unexpected error; ending')
    else log.info({ signal }, 'ending')
    await running?.close()
    if (err !== undefined) process.exitCode = 1
  })
  if (process.channel !== undefined) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
    process.channel.unref()
  }
  try {
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
  if ('port' in running) process.send?.({ ready: true, port: running.port })
}

function readSettings(): LoadedSettings | undefined {
  try {
    return loadSettings({
      argv: process.argv.slice(2),
      env: process.env,
      isTerminal: process.stdout.isTTY === true,
    })
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
