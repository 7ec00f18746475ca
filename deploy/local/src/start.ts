import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { authSettings } from '@svc/auth/settings'
import { loadSettings, type Settings } from '@svc/config'
import { AppError, SettingsError, version } from '@svc/runtime'
import { killChildren } from './child.ts'
import { demoContents, loadDemo } from './demo.ts'
import { emptyDataDirectory, openDataDirectory, shownPath } from './start.data.ts'
import { whenAskedToEnd } from './start.ending.ts'
import { LogFile } from './start.log.ts'
import { printNewToken } from './start.new-token.ts'
import { help, readOptions, type StartOptions } from './start.options.ts'
import { jsonOutput, type Output, terminalOutput } from './start.output.ts'
import { choosePort } from './start.port.ts'
import { Stack } from './start.stack.ts'

/** Where the repository is: this file is deploy/local/dist/start.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** When the command began, in milliseconds since 1970. The bootstrap says so: it may have run long. */
const startedAt = Number(process.env.LOCAL_STARTED_AT) || performance.timeOrigin
delete process.env.LOCAL_STARTED_AT

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
  const directory = resolve(options.data ?? join(root, '.data'))
  if (options.newToken) return printNewToken(directory, settings.db.url?.reveal())
  await run(options, settings, directory)
  return 0
}

async function run(options: StartOptions, settings: Settings, directory: string): Promise<void> {
  const pidFile = await openDataDirectory(directory)
  process.once('exit', () => pidFile.release())
  // The services of a start that was killed end within this.
  const waitMs = pidFile.wasStale ? 3000 : 0
  const httpPort = await choosePort(options.port ?? settings.server.httpPort, waitMs)
  if (options.fresh) await emptyDataDirectory(directory)

  // Unlike the gateway by itself, this one is for this machine alone.
  const host = process.env.SVC_SERVER_HOST || '127.0.0.1'
  const url = `http://${nameOf(host)}:${httpPort}`
  const logFile = join(directory, 'server.log')
  const output = openOutput(options, logFile)
  const databaseUrl = settings.db.url?.reveal()
  const stack = new Stack({ directory, output, databaseUrl, host, httpPort, url })

  async function serve(): Promise<never> {
    await stack.start()
    output.ready({
      url,
      token: stack.token,
      isTokenRequired: settings.authentication.required,
      isNew: stack.isNew,
      hasDemo: options.demo && (await tryDemo(output, url, stack.token, settings)),
      hasSharedCache: settings.cache.redis.url !== undefined,
      dataDirectory: shownPath(directory),
      logFile: shownPath(logFile),
      tookMs: Date.now() - startedAt,
    })
    return stack.failure
  }

  const asked = whenAskedToEnd(killChildren)
  try {
    await Promise.race([asked, serve()])
  } finally {
    await stack.stop()
  }
}

/** @returns the name to connect to, for an address to listen on */
function nameOf(host: string): string {
  return ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host) ? 'localhost' : host
}

function openOutput({ json }: StartOptions, logFile: string): Output {
  if (json || !process.stdout.isTTY) return jsonOutput(process.stdout)
  const colour = !process.env.NO_COLOR && process.env.TERM !== 'dumb'
  return terminalOutput(process.stdout, { version, colour, logFile: new LogFile(logFile) })
}

/** @returns whether the data is there now */
async function tryDemo(
  output: Output,
  url: string,
  firstToken: string | undefined,
  settings: Settings,
): Promise<boolean> {
  const token = firstToken ?? process.env.SVC_TOKEN
  if (token === undefined && settings.authentication.required) {
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
  if (error instanceof SettingsError) {
    process.stderr.write(`${error.problems.join('\n')}\n`)
    return 2
  }
  if (error instanceof AppError) {
    process.stderr.write(`${error.message}\n`)
    return error.code === 'invalid_argument' ? 2 : 1
  }
  console.error(error)
  return 1
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => process.exit(report(error)),
)
