import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export type Service = 'auth' | 'resource' | 'gateway'

export interface ServiceProcess {
  readonly port: number
  readonly pid: number
  /** Everything it has logged so far, a parsed line each. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  /** Sends a signal and, unless it only stops or continues the process, waits for its end. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

/**
 * Starts a service as its users do: a process of its own, told by its environment.
 *
 * @throws {Error} with what it wrote, when it ends before it is ready
 */
export async function startServiceProcess(
  t: { teardown(work: () => Promise<void>): void },
  service: Service,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const main = fileURLToPath(import.meta.resolve(`@svc/${service}/main`))
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, SVC_CONFIG: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const lines: Record<string, unknown>[] = []
  const said: string[] = []
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('its output is not piped')
  createInterface({ input: stdout }).on('line', (line) => {
    said.push(line)
    if (line.startsWith('{')) lines.push(JSON.parse(line))
  })
  createInterface({ input: stderr }).on('line', (line) => said.push(line))
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await once(child, 'exit')
  }
  t.teardown(() => kill())
  const port = await ready(child).catch((error: unknown) => {
    throw new Error(`${service} did not start: ${said.slice(-10).join('\n')}`, { cause: error })
  })
  return { port, pid: child.pid ?? 0, lines, kill }
}

async function ready(child: ChildProcess): Promise<number> {
  const abort = new AbortController()
  child.once('exit', (code, signal) => abort.abort(new Error(`ended with ${code ?? signal}`)))
  const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(30_000)])
  const [message] = (await once(child, 'message', { signal })) as [{ port: number }]
  return message.port
}
