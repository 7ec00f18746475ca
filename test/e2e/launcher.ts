import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findProcess } from '@svc/local/processes'
import { call } from '../support/http.ts'

const script = fileURLToPath(import.meta.resolve('@svc/local/start'))

/** Limit of a wait. Only a defect reaches it. */
const limitMs = 60_000

interface Test {
  teardown(work: () => Promise<void>): void
}

export interface Launched {
  readonly pid: number
  /** What it has written so far: standard output, or all of it on a terminal. */
  output(): string
  /** The same as JSON, a line each. */
  entries(): Record<string, unknown>[]
  errors(): string
  /** Waits until something is in the output, or in the errors. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** Waits for its end. */
  ended(): Promise<{ readonly exitCode: number | null }>
  send(signal: NodeJS.Signals): void
  /** What is typed on its terminal. */
  type(text: string): void
}

/** Runs the launcher as `npm start` does, without a terminal. */
export function launch(t: Test, args: readonly string[], env: Environment = {}): Launched {
  // As the bootstrap does: the channel closes when this process is killed.
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const
  const child = spawn(process.execPath, [script, ...args], {
    env: environment(env),
    stdio: [...stdio],
  })
  return follow(t, child)
}

/** The same on a terminal of its own, which `script` makes. */
export function launchOnTerminal(t: Test, args: readonly string[], env: Environment = {}) {
  const command = [process.execPath, script, ...args].map((word) => `'${word}'`).join(' ')
  const options = ['--quiet', '--return', '--flush', '--command', `exec ${command}`, '/dev/null']
  // Should this process be killed, the terminal goes too.
  const wrapped = ['--pdeathsig', 'TERM', 'script', ...options]
  return follow(t, spawn('setpriv', wrapped, { env: environment({ TERM: 'xterm', ...env }) }))
}

type Environment = Readonly<Record<string, string>>

/** The environment of a new user: no settings. */
function environment(env: Environment): NodeJS.ProcessEnv {
  const { PATH } = process.env
  return { PATH, HOME: '/nonexistent', LANG: 'C.UTF-8', ...env }
}

function follow(t: Test, child: ChildProcess): Launched {
  const { pid } = child
  if (pid === undefined || !child.stdout || !child.stderr) throw new Error('it did not start')
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const closed = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await Promise.race([closed, sleep(6000, undefined, { ref: false })])
    child.kill('SIGKILL')
    await closed
  })
  return {
    pid,
    output: () => output,
    entries: () => toEntries(output),
    errors: () => errors,
    async says(pattern) {
      for (let waitedMs = 0; waitedMs < limitMs; waitedMs += 20) {
        const found = pattern.exec(output) ?? pattern.exec(errors)
        if (found !== null) return found
        if (child.exitCode !== null) break
        await sleep(20)
      }
      throw new Error(`it does not say ${pattern}, but: ${output.slice(-2000)}\n${errors}`)
    },
    async ended() {
      await closed
      return { exitCode: child.exitCode }
    },
    send: (signal) => void child.kill(signal),
    type: (text) => void child.stdin?.write(text),
  }
}

function toEntries(output: string): Record<string, unknown>[] {
  const lines = output.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** The processes that run now, by name. */
export function processesOf(directory: string): Record<string, number> {
  const launcher = Number.parseInt(read(join(directory, 'lock')), 10)
  // proc_pid_task_tid_children(5)
  const children = read(`/proc/${launcher}/task/${launcher}/children`).trim().split(' ').map(Number)
  const named = children.flatMap((pid) => {
    const command = findProcess(pid) ?? ''
    const name = /\/(gateway|auth|resource)\/dist\/main\.js$|\/(postgres) -D /.exec(command)
    return name === null ? [] : [[name[1] ?? name[2], pid]]
  })
  return Object.fromEntries(launcher > 0 ? [['launcher', launcher], ...named] : [])
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Which of them still run. */
export function alive(processes: Readonly<Record<string, number>>): string[] {
  return Object.keys(processes).filter((name) => findProcess(processes[name] ?? 0))
}

export const tokenPattern = /svc_[\w-]{43}_\w{6}/g

/** Waits for a launcher that prints JSON. */
export async function isReady(
  launched: Launched,
): Promise<{ url: string; token: string | undefined }> {
  await launched.says(/"msg":"ready"/)
  const entries = launched.entries()
  const { url } = entries.find(({ msg }) => msg === 'ready') ?? {}
  const { client_token: token } = entries.find(({ client_token }) => client_token) ?? {}
  return { url: String(url), token: token === undefined ? undefined : String(token) }
}

export function bearer(token: string | undefined) {
  return { authorization: `Bearer ${token}` }
}

/** Whether the service comes to answer a request that needs all of its parts. */
export async function answers(url: string, token: string | undefined): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const path = '/api/v1/namespaces/default/flags'
    const answer = await call(url, 'GET', path, undefined, bearer(token)).catch(() => undefined)
    if (answer?.status === 200) return true
    await sleep(100)
  }
  return false
}
