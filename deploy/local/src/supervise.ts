import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import { onLines } from './start.lines.ts'

export interface ServiceSpec {
  readonly name: string
  /** What Node.js runs. */
  readonly script: string
  readonly env: NodeJS.ProcessEnv
}

export interface ServiceEvents {
  /** A process has started, the first one or a later one. */
  readonly onStart: () => void
  readonly onLine: (service: string, line: string) => void
  readonly onRestart: (service: string, how: string, delayMs: number) => void
  /** It will not be started again. */
  readonly onFailure: (error: AppError) => void
}

/** One service as a process of its own, started again whenever it ends. */
export class SupervisedService {
  /** Resolves when the service listens for the first time. */
  readonly ready: Promise<void>
  readonly #spec: ServiceSpec
  readonly #events: ServiceEvents
  readonly #stopping = new AbortController()
  #ended: Promise<void> | undefined
  #announce: () => void = () => {}
  #wasReady = false
  #child: ChildProcess | undefined

  constructor(spec: ServiceSpec, events: ServiceEvents) {
    this.#spec = spec
    this.#events = events
    this.ready = new Promise((resolve) => {
      this.#announce = resolve
    })
  }

  get name(): string {
    return this.#spec.name
  }

  /** `undefined` between two lives. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  get wasReady(): boolean {
    return this.#wasReady
  }

  start(): void {
    this.#ended ??= this.#keepRunning()
  }

  /** Asks it to end, and ends it when it has not after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort()
    this.#child?.kill('SIGTERM')
    const force = setTimeout(() => this.kill(), graceMs)
    await this.#ended
    clearTimeout(force)
  }

  kill(): void {
    this.#stopping.abort()
    this.#child?.kill('SIGKILL')
  }

  async #keepRunning(): Promise<void> {
    const { name } = this.#spec
    const { signal } = this.#stopping
    for (let attempt = 0; !signal.aborted; attempt++) {
      const startedAt = performance.now()
      const { exitCode, how, lastWords } = await this.#live()
      if (signal.aborted) return
      if (exitCode === settingsRefused) {
        return this.#events.onFailure(new AppError('invalid_argument', 'bad_settings', lastWords))
      }
      if (!this.#wasReady && attempt + 1 >= maxFirstAttempts) {
        const sentence = `${name} does not start: ${lastWords || how}`
        return this.#events.onFailure(new AppError('failed_precondition', 'no_start', sentence))
      }
      if (performance.now() - startedAt > settledMs) attempt = 0
      const delayMs = Math.min(50 * 2 ** attempt, maxDelayMs)
      this.#events.onRestart(name, how, delayMs)
      await sleep(delayMs, undefined, { signal }).catch(() => {})
    }
  }

  /** From the start of the process to its end. */
  #live(): Promise<{ exitCode: number | null; how: string; lastWords: string }> {
    const { name, script, env } = this.#spec
    const child = spawn(process.execPath, [script], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Out of reach of Ctrl-C, which the terminal sends to all: the order of ending is ours.
      detached: true,
    })
    this.#child = child
    const words = new LastWords()
    const accept = (isError: boolean) => (line: string) => {
      words.hear(line, isError)
      this.#events.onLine(name, line)
    }
    if (child.stdout !== null) onLines(child.stdout, accept(false))
    if (child.stderr !== null) onLines(child.stderr, accept(true))
    child.on('message', (message) => {
      if (!isReady(message)) return
      this.#wasReady = true
      this.#announce()
    })
    this.#events.onStart()
    return new Promise((resolve) => {
      const end = (exitCode: number | null, how: string) => {
        this.#child = undefined
        resolve({ exitCode, how, lastWords: words.text })
      }
      child.once('error', (error) => {
        if (child.pid === undefined) end(null, error.message)
      })
      child.once('close', (code, signal) => {
        end(code, signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`)
      })
    })
  }
}

/** The exit code of a service that cannot use its settings: the next one would end the same way. */
const settingsRefused = 2

/** Another process may have taken its port, which passes; hardly anything else does. */
const maxFirstAttempts = 3

const maxDelayMs = 5000

/** Who has run this long has not failed at starting. */
const settledMs = 10_000

/** What a process said before it gave up: its fatal line, else its standard error. */
class LastWords {
  #fatal = ''
  #errors = ''

  get text(): string {
    return this.#fatal || this.#errors.trim()
  }

  hear(line: string, isError: boolean): void {
    // Enough for every problem in the settings, one line each.
    if (isError) this.#errors = `${this.#errors}${line}\n`.slice(-4096)
    else if (line.includes('"fatal"')) this.#fatal = messageOf(line) ?? this.#fatal
  }
}

function messageOf(line: string): string | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    if (!isObject(entry) || entry.level !== 'fatal') return undefined
    const cause = isObject(entry.err) ? `: ${entry.err.message}` : ''
    return `${entry.msg}${cause}`
  } catch {
    return undefined
  }
}

function isReady(message: unknown): boolean {
  return isObject(message) && message.ready === true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
