import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface CommandOptions {
  readonly input?: string
  /** After which it is killed. @default 60 s */
  readonly limitMs?: number
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

export interface Ended {
  /** `null` when it was killed. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end, whatever comes of it. */
export async function tryCommand(
  program: string,
  args: readonly string[],
  { input = '', limitMs = 60_000, env = process.env, cwd }: CommandOptions = {},
): Promise<Ended> {
  const child = spawn(program, args, { env, cwd, timeout: limitMs, killSignal: 'SIGKILL' })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  // It may end without having read all.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...texts }
}

/** Runs a program to its end. @returns what it wrote. @throws when it fails, or is not done in time */
export async function command(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await tryCommand(program, args, options)
  if (code === 0) return stdout
  const how = code === null ? 'was killed' : `ended with ${code}`
  throw new Error(`${[program, ...args].join(' ')} ${how}: ${stderr || stdout}`)
}
