import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { internalEnv } from './internal.ts'
import type { Build } from './releases.ts'

export type Service = 'auth' | 'resource' | 'gateway'

export interface ServiceProcess {
  readonly port: number
  /** Another one after a restart. */
  readonly pid: number
  /** Everything it has logged so far, a parsed line each. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  /** Everything it has written so far, as it wrote it. */
  readonly output: readonly string[]
  /** Sends a signal and, unless it only stops or continues the process, waits for its end. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /**
   * Starts it anew after its end, on the same port; resolves when it is ready.
   *
   * @param build which to start from now on; by default the same as before
   * @param env settings that it has from now on, beside those that it was started with
   */
  restart(build?: Build, env?: Readonly<Record<string, string>>): Promise<void>
}

/** The setting of what each listens on. */
const listenSettings = {
  auth: (port: number) => ({ SVC_AUTH_LISTEN: `127.0.0.1:${port}` }),
  resource: (port: number) => ({ SVC_RESOURCE_LISTEN: `127.0.0.1:${port}` }),
  gateway: (port: number) => ({ SVC_SERVER_HTTP_PORT: String(port) }),
}

/**
 * Starts a service as its users do: a process of its own, set by its environment.
 *
 * @param build of another commit; by default of this one
 * @throws {Error} with what it wrote, when it ends before it is ready
 */
export async function startServiceProcess(
  t: { teardown(work: () => Promise<void>): void },
  service: Service,
  env: Readonly<Record<string, string>>,
  build?: Build,
): Promise<ServiceProcess> {
  let running = build
  let settings = env
  const lines: Record<string, unknown>[] = []
  const said: string[] = []
  let child: ChildProcess
  const launch = async (more: Readonly<Record<string, string>> = {}): Promise<number> => {
    child = spawn(process.execPath, [mainOf(service, running)], {
      env: {
        ...inherited(),
        ...usualEnvOf(running),
        ...internalEnv(service),
        ...settings,
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    onLine(child.stdout, (line) => {
      said.push(line)
      if (line.startsWith('{')) lines.push(JSON.parse(line))
    })
    onLine(child.stderr, (line) => said.push(line))
    child.once('exit', (_, signal) => {
      if (signal !== null && crashes.test(signal)) console.error(`${service} crashed: ${signal}`)
    })
    return ready(child).catch((error: unknown) => {
      const last = said.slice(-10).join('\n')
      throw new Error(`${service} did not start: ${last}`, { cause: error })
    })
  }
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await once(child, 'exit')
  }
  t.teardown(() => kill())
  const port = await launch()
  return {
    port,
    get pid() {
      return child.pid ?? 0
    },
    lines,
    output: said,
    kill,
    async restart(next, changed = {}) {
      running = next ?? running
      settings = { ...settings, ...changed }
      await launch(listenSettings[service](port))
    },
  }
}

const crashes = /^SIG(ILL|TRAP|ABRT|BUS|FPE|SEGV)$/

/** No file of this machine, no waiting for clients to find another replica, and a port that is free. */
const usualEnv = { SVC_CONFIG: '', SVC_SERVER_DRAIN: '0s', SVC_METRICS_PORT: '0' }

/** @param build of another commit, if not of this one */
function mainOf(service: Service, build: Build | undefined): string {
  if (build === undefined) return fileURLToPath(import.meta.resolve(`@svc/${service}/main`))
  return join(build.directory, 'services', service, 'dist/main.js')
}

/** @returns those that a build knows: it refuses others */
function usualEnvOf(build: Build | undefined): Readonly<Record<string, string>> {
  if (build === undefined) return usualEnv
  const page = readFileSync(join(build.directory, 'docs/configuration.md'), 'utf8')
  return Object.fromEntries(Object.entries(usualEnv).filter(([name]) => page.includes(name)))
}

/** Nothing that could be a setting. */
function inherited(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? { PATH } : { PATH, NODE_COMPILE_CACHE }
}

function onLine(stream: Readable | null, listener: (line: string) => void): void {
  if (stream === null) throw new Error('its output is not piped')
  createInterface({ input: stream }).on('line', listener)
}

/** For eight that start at once on a slow machine. One that ends instead is not waited for. */
const readyLimitMs = 120_000

async function ready(child: ChildProcess): Promise<number> {
  const abort = new AbortController()
  child.once('exit', (code, signal) => abort.abort(new Error(`ended with ${code ?? signal}`)))
  const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(readyLimitMs)])
  const [message] = (await once(child, 'message', { signal })) as [{ port: number }]
  return message.port
}

/** For `NODE_OPTIONS`: sets the clock of a process wrong, in minutes. */
export function clockAhead(minutes: number): string {
  const code = `const now = Date.now; Date.now = () => now() + ${minutes * 60_000}`
  return `--import "data:text/javascript,${encodeURIComponent(code)}"`
}
