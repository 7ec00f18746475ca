import { fileURLToPath } from 'node:url'
import { AppError } from '@svc/runtime'
import { type Child, startChild } from './child.ts'
import { findFreePort } from './ports.ts'
import { parseEntry } from './start.output.ts'
import type { InternalSecrets } from './start.secrets.ts'
import type { Part } from './supervisor.ts'

interface ServicesOptions {
  readonly databaseUrl: string
  readonly secrets: InternalSecrets
  readonly host: string
  readonly httpPort: number
  readonly onLine: (service: string, line: string) => void
  /** Called with the first token, by a service that has just made it. */
  readonly onToken: (token: string) => void
}

/** The three services. Auth and resource keep their ports when they are started again. */
export async function services(options: ServicesOptions): Promise<Record<Service, Part>> {
  const [auth, resource] = await Promise.all([findFreePort(), findFreePort()])
  const { databaseUrl, secrets, host, httpPort } = options
  const shared = {
    // Plain http: not every browser keeps a cookie over it that is for https only.
    SVC_AUTHENTICATION_SESSION_INSECURE: 'true',
    ...inherited(),
    SVC_LOG_ENCODING: 'json',
    // There are no other replicas that callers could find meanwhile.
    SVC_SERVER_DRAIN: '0s',
    SVC_AUTH_LISTEN: `127.0.0.1:${auth}`,
    SVC_AUTH_ADDRESS: `127.0.0.1:${auth}`,
    SVC_RESOURCE_LISTEN: `127.0.0.1:${resource}`,
    SVC_RESOURCE_ADDRESS: `127.0.0.1:${resource}`,
    SVC_INTERNAL_SECRET_FILE: secrets.sharedFile,
  }
  const backend = {
    ...shared,
    SVC_DB_URL: databaseUrl,
    SVC_INTERNAL_ASSERTION_KEY_FILE: secrets.assertionKeyFile,
  }
  const http = { SVC_SERVER_HOST: host, SVC_SERVER_HTTP_PORT: String(httpPort) }
  const part = (name: Service, env: NodeJS.ProcessEnv): Part => ({
    name,
    start: (signal) => startService({ name, script: programs[name], env, signal, ...options }),
  })
  return {
    auth: part('auth', backend),
    resource: part('resource', backend),
    gateway: part('gateway', { ...shared, ...http }),
  }
}

const programs = {
  auth: fileURLToPath(import.meta.resolve('@svc/auth/main')),
  resource: fileURLToPath(import.meta.resolve('@svc/resource/main')),
  gateway: fileURLToPath(import.meta.resolve('@svc/gateway/main')),
}

type Service = keyof typeof programs

/** The program of the auth service, for its commands: these take the database alone. */
export function authCommand(databaseUrl: string) {
  return { script: programs.auth, env: { ...inherited(), SVC_DB_URL: databaseUrl } }
}

/** Compiled code, kept beside what is installed: without it a start takes a sixth longer. */
const compileCache = fileURLToPath(
  new URL('../../../node_modules/.svc/compile-cache', import.meta.url),
)

/** The environment, without what the launcher itself reads or decides. */
function inherited(): NodeJS.ProcessEnv {
  const own = /^(SVC_DB_URL(_FILE)?|DATABASE_URL|PORT|SVC_TOKEN|SVC_INTERNAL_.*)$/
  const entries = Object.entries(process.env).filter(([name]) => !own.test(name))
  return { NODE_COMPILE_CACHE: compileCache, ...Object.fromEntries(entries) }
}

interface ServiceOptions {
  readonly name: string
  readonly script: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly onLine: (service: string, line: string) => void
  readonly onToken: (token: string) => void
}

/**
 * Starts a service and waits until it listens.
 *
 * @throws {AppError} `invalid_argument` when it refuses its settings, `unavailable` when it ends
 */
export async function startService(options: ServiceOptions): Promise<Child> {
  const { name, script, env, signal, onLine, onToken } = options
  const { promise: ready, resolve: setReady } = Promise.withResolvers<'ready'>()
  const tail = new OutputTail()
  const child = startChild([process.execPath, script], {
    env,
    signal,
    // Time for requests under way.
    steps: [
      ['SIGTERM', 1500],
      ['SIGKILL', 1000],
    ],
    onLine(line, isError) {
      tail.add(line, isError)
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
  if (outcome.code === settingsRefused) {
    throw new AppError('invalid_argument', 'bad_settings', tail.text)
  }
  const sentence = `${name} does not start: ${tail.text || outcome.how}`
  throw new AppError('unavailable', 'no_start', sentence)
}

/** The exit code of a service that cannot use its settings: the next one would end the same way. */
const settingsRefused = 2

/** Why a process ended: its last fatal log line, else the end of its standard error. */
class OutputTail {
  #fatal = ''
  #errors = ''

  get text(): string {
    return this.#fatal || this.#errors.trim()
  }

  add(line: string, isError: boolean): void {
    // Enough for every problem in the settings, one line each.
    if (isError) this.#errors = `${this.#errors}${line}\n`.slice(-4096)
    const { level, msg, err } = line.includes('"fatal"') ? (parseEntry(line) ?? {}) : {}
    if (level !== 'fatal') return
    const { message } = typeof err === 'object' && err !== null && 'message' in err ? err : {}
    this.#fatal = message === undefined ? String(msg) : `${msg}: ${message}`
  }
}
