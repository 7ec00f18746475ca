import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** This file is test/dist/support/ofrep-providers.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const sources = join(root, 'test/integration/ofrep-providers')
const cache = join(root, 'node_modules/.cache/ofrep-providers')

/** How long an installation may take, in milliseconds; a registry that does not answer is done without. */
const installTimeoutMs = 120_000

/** How long a program may take, in milliseconds. It asks some flags; Go compiles it before. */
const runTimeoutMs = 60_000

type Command = readonly [program: string, ...args: string[]]

/** A language with an OFREP provider that is installed as applications install it. */
export interface Language {
  readonly name: 'node' | 'python' | 'go'
  /** Succeeds where the language is installed, and prints its version. */
  readonly probe: Command
  readonly install: Command
  /** Asks flags: reads what to ask from standard input, and prints what came of it, both as JSON. */
  readonly program: string
  /** Where an application of its own may be, which {@link runSource} writes. */
  readonly application: string
  run(file: string): Command
  readonly env?: Readonly<Record<string, string>>
}

const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps']

export const languages: readonly Language[] = [
  {
    name: 'node',
    probe: ['npm', '--version'],
    install: ['npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts'],
    program: 'evaluate.mjs',
    application: 'application.mjs',
    run: (file) => [process.execPath, file],
  },
  {
    name: 'python',
    probe: ['python3', '-m', 'pip', '--version'],
    install: ['python3', ...pip, '--target', 'packages', '--requirement', 'requirements.txt'],
    program: 'evaluate.py',
    application: 'application.py',
    run: (file) => ['python3', file],
    env: { PYTHONPATH: 'packages', PYTHONDONTWRITEBYTECODE: '1' },
  },
  {
    name: 'go',
    probe: ['go', 'version'],
    install: ['go', 'build', '-o', 'evaluate', '.'],
    program: 'main.go',
    application: 'application/main.go',
    run: (file) => ['go', 'run', `./${dirname(file)}`],
    // Neither another Go than the one that is here, nor other modules than go.sum names.
    env: { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly -buildvcs=false', GOWORK: 'off' },
  },
]

/** @returns the names of the languages whose providers are installed now; says which are not */
export function ensureProviders(say: (line: string) => void): string[] {
  return languages.flatMap((language) => {
    const missing = installProvider(language, say)
    if (missing === undefined) return language.name
    say('')
    say(`!! THE OFREP PROVIDER FOR ${language.name.toUpperCase()} IS NOT TESTED: ${missing}`)
    say('')
    return []
  })
}

/** @returns what is missing for it */
function installProvider(language: Language, say: (line: string) => void): string | undefined {
  const { name, probe, install } = language
  const [tool] = probe
  if (versionOf(language) === '') return `${tool} is not installed.`
  const directory = directoryOf(language)
  if (existsSync(directory)) return undefined
  say(`Installing the OFREP provider for ${name}…`)
  const unfinished = `${directory}.${process.pid}`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  cpSync(join(sources, name), unfinished, { recursive: true })
  const [program, ...args] = install
  const { status, stderr } = spawnSync(program, args, {
    cwd: unfinished,
    env: { ...process.env, ...language.env },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: installTimeoutMs,
  })
  if (status !== 0) {
    rmSync(unfinished, { recursive: true, force: true })
    return `its packages are not to be had. ${stderr.trim().split('\n').at(-1) ?? ''}`
  }
  for (const other of readdirSync(cache).filter((other) => other.startsWith(`${name}-`))) {
    if (join(cache, other) !== unfinished) rmSync(join(cache, other), { recursive: true })
  }
  renameSync(unfinished, directory)
  return undefined
}

/** For these packages, on this version of the language. */
function directoryOf(language: Language): string {
  const hash = createHash('sha256').update(versionOf(language))
  const folder = join(sources, language.name)
  for (const file of readdirSync(folder).sort()) {
    hash.update(`${file}\n`).update(readFileSync(join(folder, file)))
  }
  return join(cache, `${language.name}-${hash.digest('hex').slice(0, 16)}`)
}

function versionOf({ probe: [program, ...args] }: Language): string {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 ? stdout : ''
}

export interface Output {
  readonly stdout: string
  /** Where SDKs and providers log. */
  readonly stderr: string
}

/** Runs the program of a language. */
export function runProgram(language: Language, input: unknown): Promise<Output> {
  return run(language, language.program, JSON.stringify(input))
}

/** Runs the source of an application beside the installed packages. */
export async function runSource(
  language: Language,
  source: string,
  env: Readonly<Record<string, string>>,
): Promise<Output> {
  const file = join(directoryOf(language), language.application)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, source)
  return run(language, language.application, '', env)
}

async function run(
  language: Language,
  file: string,
  input: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Output> {
  const [program, ...args] = language.run(file)
  const child = spawn(program, args, {
    cwd: directoryOf(language),
    env: { ...process.env, ...language.env, ...env },
    timeout: runTimeoutMs,
  })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve)
  })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code !== 0) throw new Error(`${language.name} ended with ${code}: ${stderr}`)
  return { stdout, stderr }
}
