import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { waitFor } from '@svc/runtime/testing'
import type { Test } from './listen.ts'
import { emptyFolder } from './packages.ts'

/** This file is test/dist/support/examples.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Limit of a command that ends by itself, in milliseconds. */
const commandMs = 60_000

type Variables = Readonly<Record<string, string>>

/** A document whose commands are run as they are printed, in a folder of its own. */
export interface Example {
  readonly folder: string
  /** Its blocks of code in a language, such as `sh`. */
  blocks(language: string): readonly string[]
  /** The lines of its commands, as they are printed. */
  lines(): readonly string[]
  /** Runs the one block of commands that has a text in it. @returns what it prints */
  run(text: string, env?: Variables): Promise<string>
  /** Starts a program by a line of a block, until the test is over. */
  start(line: string, env?: Variables): Program
}

export interface Program {
  output(): string
  errors(): string
  /** Waits until something is in the output. @returns the first group of the pattern */
  says(pattern: RegExp): Promise<string>
  /** The same of what it reports on standard error. */
  tells(pattern: RegExp): Promise<string>
  /** Writes to its standard input. */
  send(text: string): void
  /** Waits for its end. @throws {Error} when it failed */
  ended(): Promise<void>
  /** Sends SIGTERM. @returns the exit code */
  end(): Promise<number | null>
}

/**
 * @param document path of a README from the root
 * @param replaced texts of the document that are others here, such as the address of the service; also those
 *   that are added later
 */
export async function openExample(
  t: Test,
  document: string,
  replaced: Variables,
): Promise<Example> {
  const folder = await emptyFolder(t)
  const text = await readFile(join(root, document), 'utf8')
  const blocks = (language: string) =>
    [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
      .filter(([, name]) => name === language)
      .map(([, , code = '']) => code)
  const prepare = (code: string) =>
    Object.entries(replaced).reduce((code, [from, to]) => code.replaceAll(from, to), code)
  return {
    folder,
    blocks: (language) => blocks(language).map(prepare),
    lines: () => blocks('sh').flatMap((block) => block.split('\n')),
    async run(part, env = {}) {
      const [block, ...others] = blocks('sh').filter((block) => block.includes(part))
      if (block === undefined || others.length > 0) {
        throw new Error(`${others.length + 1} blocks of ${document} have ${part} in them`)
      }
      const { stdout } = await promisify(execFile)(
        'bash',
        ['-euo', 'pipefail', '-c', prepare(block)],
        {
          cwd: folder,
          env: environmentOf(env),
          timeout: commandMs,
        },
      )
      return stdout
    },
    start(line, env = {}) {
      if (!blocks('sh').some((block) => block.split('\n').includes(line))) {
        throw new Error(`no block of ${document} has the line ${line}`)
      }
      return startProgram(t, ['bash', '-c', `exec ${prepare(line)}`], folder, env)
    },
  }
}

/** Copies the files of an example beside its README. */
export async function copyFiles(document: string, folder: string): Promise<void> {
  await cp(join(root, document, '..'), folder, { recursive: true })
}

function environmentOf(env: Variables): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env
  return { PATH, HOME, ...env }
}

/** Starts a program in a folder, until the test is over. */
export function startProgram(
  t: Test,
  [program = '', ...args]: readonly string[],
  folder: string,
  env: Variables,
): Program {
  return follow(t, spawn(program, args, { cwd: folder, env: environmentOf(env) }))
}

function follow(t: Test, child: ChildProcess): Program {
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const closed = once(child, 'close')
  const end = async () => {
    child.kill('SIGTERM')
    await Promise.race([closed, sleep(6000, undefined, { ref: false })])
    child.kill('SIGKILL')
    await closed
    return child.exitCode
  }
  t.teardown(async () => {
    await end()
  })
  const find = async (pattern: RegExp, text: () => string) => {
    await waitFor(() => {
      if (pattern.test(text())) return true
      if (child.exitCode !== null) throw new Error(`it ended: ${output}${errors}`)
      return false
    })
    return pattern.exec(text())?.[1] ?? ''
  }
  return {
    output: () => output,
    errors: () => errors,
    end,
    says: (pattern) => find(pattern, () => output),
    tells: (pattern) => find(pattern, () => errors),
    send(text) {
      child.stdin?.write(text)
    },
    async ended() {
      await closed
      if (child.exitCode !== 0) throw new Error(`it failed: ${output}${errors}`)
    },
  }
}
