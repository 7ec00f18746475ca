import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { authSettings } from '@svc/auth/settings'
import { loadSettings, type Settings } from '@svc/config'
import { AppError, SettingsError } from '@svc/runtime'
import { demoContents, loadDemo } from './demo.ts'
import { choosePort } from './ports.ts'
import { killChildren } from './processes.ts'
import { emptyDataDirectory, openDataDirectory, shownPath } from './start.data.ts'
import { printNewToken } from './start.new-token.ts'
import { help, readOptions, type StartOptions } from './start.options.ts'
import { jsonOutput, type Output, terminalOutput } from './start.output.ts'
import { whenAskedToEnd } from './start.signals.ts'
import { createStack } from './start.stack.ts'
import { gatewayUrl } from './start.url.ts'

/** Maximum port of the gateway's metrics: the two after it are those of auth and resource. */
const maxMetricsPort = 65_533

/** @returns the exit code */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options.help) {
    process.stdout.write(help)
    return 0
  }
  // DATABASE_URL is as likely as not meant for another program on this machine.
  const { DATABASE_URL: _, ...env } = process.env
  const { settings } = loadSettings(authSettings, { env })
  // In the repository: this file is deploy/local/dist/start.js.
  const directory = resolve(options.data ?? join(import.meta.dirname, '../../../.data'))
  if (options.newToken) return printNewToken(directory, settings.db.url?.reveal())
  await run(options, settings, directory)
  return 0
}

async function run(options: StartOptions, settings: Settings, directory: string): Promise<void> {
  const { wasInUse, release } = openDataDirectory(directory)
  process.once('exit', release)
  // The services of a start that was killed end within this.
  const waitMs = wasInUse ? 3000 : 0
  const httpPort = await choosePort(options.port ?? settings.server.httpPort, waitMs)
  if (options.fresh) await emptyDataDirectory(directory)

  // Unlike the gateway by itself, this one is for this machine alone.
  const host = process.env.SVC_SERVER_HOST || '127.0.0.1'
  const url = gatewayUrl(host, httpPort)
  const logFile = join(directory, 'server.log')
  const output = openOutput(options, logFile)
  const databaseUrl = settings.db.url?.reveal()
  const seedPath = options.seed === undefined ? undefined : resolve(options.seed)
  const ports = { httpPort, metricsPort: Math.min(settings.metrics.port, maxMetricsPort) }
  const stack = createStack({ directory, output, databaseUrl, host, ...ports, seedPath, url })

  async function serve(): Promise<never> {
    const token = await stack.start()
    const isTokenRequired = settings.authentication.required
    output.ready({
      url,
      token,
      hasInterface: settings.ui.enabled,
      isTokenRequired,
      hasDemo: options.demo && (await tryDemo(output, url, token, isTokenRequired)),
      hasSharedCache: settings.cache.redis.url !== undefined,
      dataDirectory: shownPath(directory),
      logFile: shownPath(logFile),
      tookMs: performance.now(),
    })
    return stack.failure
  }

  const asked = once(whenAskedToEnd(killChildren), 'abort')
  try {
    await Promise.race([asked, serve(), stack.failure])
  } finally {
    await stack.stop()
  }
}

function openOutput({ json }: StartOptions, logFile: string): Output {
  if (json || !process.stdout.isTTY) return jsonOutput(process.stdout)
  return terminalOutput(process.stdout, logFile)
}

/** @returns whether the data is there now */
async function tryDemo(
  output: Output,
  url: string,
  firstToken: string | undefined,
  isTokenRequired: boolean,
): Promise<boolean> {
  const token = firstToken ?? process.env.SVC_TOKEN
  if (token === undefined && isTokenRequired) {
    output.warn('Demo data needs a token in SVC_TOKEN: npm start -- --new-token prints one.')
    return false
  }
  const startedAt = performance.now()
  try {
    await loadDemo(url, token)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    output.warn(`Demo data is not loaded. ${error.message}`)
    return false
  }
  output.step('Demo data is loaded', demoContents, performance.now() - startedAt)
  return true
}

/** @returns the exit code */
function report(error: unknown): number {
  if (error instanceof SettingsError || error instanceof AppError) {
    const problems = error instanceof SettingsError ? error.problems : [error.message]
    process.stderr.write(`${problems.join('\n')}\n`)
    return error instanceof SettingsError || error.code === 'invalid_argument' ? 2 : 1
  }
  // Without the other properties of an error: some quote a URL, which may have a password.
  console.error(error instanceof Error ? error.stack : error)
  return 1
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => process.exit(report(error)),
)
