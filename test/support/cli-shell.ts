import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(import.meta.resolve('@svc/cli/main'))

/** What a line has printed and ended with. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ShellOptions {
  /** Where lines run. */
  readonly directory: string
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

/** How long a line may take. Only a defect reaches it. */
const limitMs = 60_000
/** Between two looks at the processes of a line. */
const lookMs = 5

/** A shell with `svc` in its path, which keeps an eye on what other users of the machine could read. */
export class CliShell {
  /** All arguments of processes, and the environment of those that `svc` started. */
  readonly seen = new Set<string>()
  readonly #options: ShellOptions

  private constructor(options: ShellOptions) {
    this.#options = options
  }

  static async open(options: ShellOptions): Promise<CliShell> {
    const bin = join(options.home, 'bin')
    await mkdir(bin, { recursive: true })
    await writeFile(join(bin, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
    await chmod(join(bin, 'svc'), 0o755)
    return new CliShell(options)
  }

  /** Runs a line as it is typed. */
  async run(line: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const { directory, home } = this.#options
    const child = spawn('bash', ['-c', line], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
      env: {
        PATH: `${join(home, 'bin')}:${process.env.PATH}`,
        HOME: home,
        LANG: 'C.UTF-8',
        ...this.#options.env,
        ...env,
      },
    })
    const looking = setInterval(() => this.#look(child), lookMs)
    try {
      const [stdout, stderr] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        child.exitCode === null && (await once(child, 'close')),
      ])
      return { code: child.exitCode, stdout, stderr }
    } finally {
      clearInterval(looking)
    }
  }

  #look({ pid = 0 }: ChildProcess): void {
    for (const { path, isOfSvc } of processesBelow(pid, false)) {
      this.seen.add(read(`${path}/cmdline`))
      if (isOfSvc) this.seen.add(read(`${path}/environ`))
    }
  }
}

/** A process and all that it started. */
function* processesBelow(
  pid: number,
  isOfSvc: boolean,
): Generator<{ readonly path: string; readonly isOfSvc: boolean }> {
  const path = `/proc/${pid}`
  yield { path, isOfSvc }
  const isSvc = read(`${path}/cmdline`).split('\0')[1] === main
  for (const child of read(`${path}/task/${pid}/children`).trim().split(' ').filter(Boolean)) {
    yield* processesBelow(Number(child), isOfSvc || isSvc)
  }
}

/** A process may end meanwhile. */
function read(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}
