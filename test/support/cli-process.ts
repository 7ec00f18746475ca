import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { waitFor } from '@svc/runtime/testing'
import type { Test } from './listen.ts'

const script = fileURLToPath(import.meta.resolve('@svc/cli/main'))

interface CliOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The folder of its settings. */
  readonly home: string
  /** Whether it has a terminal, at which it asks. */
  readonly isTerminal?: boolean
}

/** The command as a process of its own. */
export interface CliProcess {
  stdout(): string
  /** Of a terminal also what is typed and printed. */
  stderr(): string
  /** Resolves with the match once it has printed that. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** At the terminal. */
  type(text: string): void
  /** @returns the exit code */
  ended(): Promise<number | null>
}

/** Runs `svc` with these arguments as a user would who has nothing set. */
export function startCli(t: Test, args: readonly string[], options: CliOptions): CliProcess {
  const { home, isTerminal = false } = options
  const { PATH } = process.env
  const env = { PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'xterm', ...options.env }
  const child = isTerminal
    ? onTerminal(args, env)
    : spawn(process.execPath, [script, ...args], { env })
  return follow(t, child, isTerminal)
}

function onTerminal(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const command = [process.execPath, script, ...args].map((word) => `'${word}'`).join(' ')
  const options = ['--quiet', '--return', '--flush', '--command', `exec ${command}`, '/dev/null']
  // Should this process be killed, the terminal goes too.
  return spawn('setpriv', ['--pdeathsig', 'TERM', 'script', ...options], { env })
}

function follow(t: Test, child: ChildProcess, isTerminal: boolean): CliProcess {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  const closed = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const printed = (name: keyof typeof texts) => stripVTControlCharacters(texts[name])
  const stderr = () => printed(isTerminal ? 'stdout' : 'stderr')
  return {
    stdout: () => printed('stdout'),
    stderr,
    async says(pattern) {
      await waitFor(() => {
        const isThere = pattern.test(stderr())
        if (!isThere && child.exitCode !== null) throw new Error(`it has ended: ${stderr()}`)
        return isThere
      })
      const match = pattern.exec(stderr())
      if (match === null) throw new Error('it is no longer there')
      return match
    },
    type: (text) => child.stdin?.write(text),
    async ended() {
      const [code] = await closed
      return code as number | null
    },
  }
}
