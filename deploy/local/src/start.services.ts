import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '@svc/runtime'
import { findFreePort } from './ports.ts'
import { type Child, startChild } from './processes.ts'
import { parseEntry } from './start.output.ts'
import type { Part } from './supervisor.ts'

interface ServicesOptions {
  /** Of the data, where the key of the change log is kept. */
  readonly directory: string
  readonly databaseUrl: string
  /** What the gateway listens on. */
  readonly host: string
  readonly httpPort: number
  /** Of the gateway's health and metrics; auth and resource take the two after it. 0 takes free ones. */
  readonly metricsPort: number
  /** What namespaces begin with: an absolute path. Left out: what the settings say. */
  readonly seedPath?: string | undefined
  readonly onLine: (service: string, line: string) => void
  /** Called with the first token, by a service that has just made it. */
  readonly onToken: (token: string) => void
}

/** The three services. Auth and resource keep their ports when they are started again. */
export async function services(options: ServicesOptions): Promise<readonly Part[]> {
  const { databaseUrl, host, httpPort, metricsPort, seedPath } = options
  const [auth, resource] = await Promise.all([findFreePort(), findFreePort()])
  const shared = {
    // Plain http: not every browser keeps a cookie over it that is for https only.
    SVC_AUTHENTICATION_SESSION_INSECURE: 'true',
    ...inheritedEnv(),
    SVC_LOG_ENCODING: 'json',
    // There are no other replicas that callers could find meanwhile.
    SVC_SERVER_DRAIN: '0s',
    SVC_AUTH_LISTEN: `127.0.0.1:${auth}`,
    SVC_AUTH_ADDRESS: `127.0.0.1:${auth}`,
    SVC_RESOURCE_LISTEN: `127.0.0.1:${resource}`,
    SVC_RESOURCE_ADDRESS: `127.0.0.1:${resource}`,
    SVC_INTERNAL_SECRET: newSecret(),
  }
  const backend = {
    ...shared,
    SVC_DB_URL: databaseUrl,
    SVC_INTERNAL_ASSERTION_KEY: newSecret(),
    SVC_CHANGES_KEY_FILE: changesKeyFile(options.directory),
  }
  const withSeed = { ...backend, ...(seedPath !== undefined && { SVC_SEED_PATH: seedPath }) }
  const gateway = { ...shared, SVC_SERVER_HOST: host, SVC_SERVER_HTTP_PORT: String(httpPort) }
  const part = (name: keyof typeof programs, own: NodeJS.ProcessEnv, offset: number): Part => {
    const port = metricsPort === 0 ? 0 : metricsPort + offset
    const env = { ...own, SVC_METRICS_HOST: '127.0.0.1', SVC_METRICS_PORT: String(port) }
    return {
      name,
      start: (signal) => startService({ ...options, name, script: programs[name], env, signal }),
    }
  }
  return [part('auth', backend, 1), part('resource', withSeed, 2), part('gateway', gateway, 0)]
}

/** Of this start alone: nothing that is stored depends on it. */
const newSecret = () => randomBytes(32).toString('hex')

/** The key of the change log lasts as long as the data. */
function changesKeyFile(directory: string): string {
  const path = join(directory, 'changes.key')
  if (!existsSync(path)) writeFileSync(path, newSecret(), { mode: 0o600 })
  return path
}

export const programs = {
  auth: fileURLToPath(import.meta.resolve('@svc/auth/main')),
  resource: fileURLToPath(import.meta.resolve('@svc/resource/main')),
  gateway: fileURLToPath(import.meta.resolve('@svc/gateway/main')),
}

/** Compiled code, kept beside what is installed: without it a start takes a sixth longer. */
const compileCache = join(import.meta.dirname, '../../../node_modules/.svc/compile-cache')

/** The environment, without what the launcher itself reads or decides. */
export function inheritedEnv(): NodeJS.ProcessEnv {
  const own =
    /^(SVC_DB_URL(_FILE)?|DATABASE_URL|PORT|SVC_TOKEN|SVC_INTERNAL_.*|SVC_CHANGES_KEY(_FILE)?)$/
  const entries = Object.entries(process.env).filter(([name]) => !own.test(name))
  return { NODE_COMPILE_CACHE: compileCache, ...Object.fromEntries(entries) }
}

interface ServiceOptions extends Pick<ServicesOptions, 'onLine' | 'onToken'> {
  readonly name: string
  readonly script: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/**
 * Starts a service and waits until it listens.
 *
 * @throws {AppError} `invalid_argument` when it refuses its settings, `unavailable` when it ends
 */
export async function startService(options: ServiceOptions): Promise<Child> {
  const { name, script, env, signal, onLine, onToken } = options
  const { promise: ready, resolve: setReady } = Promise.withResolvers<'ready'>()
  let fatal: string | undefined
  let errors = ''
  const child = startChild([process.execPath, script], {
    env,
    signal,
    onLine(line, isError) {
      fatal = fatalMessage(line) ?? fatal
      // Enough for every problem in the settings, one line each.
      if (isError) errors = `${errors}${line}\n`.slice(-4096)
      onLine(name, line)
    },
    onMessage(message) {
      if (typeof message !== 'object' || message === null || !('ready' in message)) return
      if ('firstToken' in message) onToken(String(message.firstToken))
      setReady('ready')
    },
  })
  const outcome = await Promise.race([ready, child.ended])
  if (outcome === 'ready') return child
  const why = fatal ?? (errors.trim() || outcome.how)
  if (outcome.code === settingsRefused) throw new AppError('invalid_argument', 'bad_settings', why)
  throw new AppError('unavailable', 'no_start', `${name} does not start: ${why}`)
}

/** The exit code of a service that cannot use its settings: the next one would end the same way. */
const settingsRefused = 2

function fatalMessage(line: string): string | undefined {
  const { level, msg, err } = line.includes('"fatal"') ? (parseEntry(line) ?? {}) : {}
  if (level !== 'fatal') return undefined
  const cause =
    typeof err === 'object' && err !== null && 'message' in err ? err.message : undefined
  return cause === undefined ? String(msg) : `${msg}: ${cause}`
}
