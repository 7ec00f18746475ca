import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './bootstrap.run.mjs'

const pnpmVersion = '12.21.0'

/** Installs and builds what has changed since it was last done. To look takes some 100 ms. */
export async function prepare(root) {
  const steps = stepsOf(root)
  if (steps.every((step) => isFresh(root, step))) return
  await withLock(join(root, 'node_modules/.svc/lock'), async () => {
    for (const step of steps) {
      // Another process may have done it during the wait for the lock.
      if (!isFresh(root, step)) await renew(root, step)
    }
  })
}

/** Each with the files and folders that it reads, and those that it makes. */
export function stepsOf(root) {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const projects = references.map(({ path }) => path)
  const manifests = ['.', ...projects].map((folder) => join(folder, 'package.json'))
  const installed = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]
  const clientSources = [
    ...installed,
    'proto',
    ...['contract', 'runtime', 'client'].map((name) => `packages/${name}`),
  ]
  return [
    {
      name: 'installing packages (a minute or two the first time)',
      inputs: installed,
      outputs: ['node_modules/.bin/tsc'],
      commands: [['npx', '-y', `pnpm@${pnpmVersion}`, 'install', '--frozen-lockfile']],
    },
    {
      name: 'generating code from the protos',
      inputs: [...installed, 'proto'],
      outputs: ['proto/gen/descriptors.binpb'],
      commands: [[process.execPath, 'proto/generate.mjs']],
    },
    {
      name: 'writing the client of the API',
      inputs: clientSources,
      outputs: ['packages/client/src/api/gen/operations.ts'],
      commands: [
        ['tsc', '-b', '--checkers', '1', 'packages/contract'],
        [process.execPath, 'packages/client/generate.mjs'],
      ],
    },
    {
      name: 'compiling',
      inputs: [...installed, 'tsconfig.json', 'tsconfig.base.json', ...projects],
      outputs: projects.map((project) => join(project, 'dist/.tsbuildinfo')),
      // With the usual four checkers it takes twice the processor time.
      commands: [['tsc', '-b', '--checkers', '1']],
    },
    {
      name: 'building the web interface',
      inputs: [...clientSources, 'packages/documents', 'packages/evaluation', 'packages/ui'],
      outputs: ['packages/ui/dist/site/index.html'],
      commands: [['packages/ui/node_modules/.bin/vite', 'build', 'packages/ui']],
    },
  ]
}

const stampOf = (root, step) => join(root, 'node_modules/.svc', step.name.split(' ')[0])

function isFresh(root, step) {
  const stamp = stampOf(root, step)
  if (![stamp, ...step.outputs.map((path) => join(root, path))].every((path) => existsSync(path)))
    return false
  return readFileSync(stamp, 'utf8') === hashOf(root, step.inputs)
}

async function renew(root, step) {
  process.stderr.write(`svc: ${step.name}…\n`)
  const startedAt = performance.now()
  // Taken before, so that what is changed meanwhile is seen the next time.
  const before = hashOf(root, step.inputs)
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  // Without questions, and with what tests and builds need even in production.
  const env = { ...process.env, PATH: path, CI: 'true', NODE_ENV: '' }
  // Standard output is for what this prepares: it may print JSON.
  const stdio = ['ignore', process.stderr, process.stderr]
  for (const [command, ...args] of step.commands) {
    const exitCode = await run(command, args, { cwd: root, env, stdio })
    if (exitCode !== 0) throw new Error(`\nsvc: ${step.name} failed.`)
  }
  process.stderr.write(`svc: done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
  mkdirSync(join(root, 'node_modules/.svc'), { recursive: true })
  writeFileSync(stampOf(root, step), before)
}

/** Over what is in these files and folders, and for which machine. */
export function hashOf(root, paths) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const path of paths.flatMap((path) => filesIn(root, path))) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)))
  }
  return hash.digest('hex')
}

/** What is made from the sources, or has nothing to do with them. */
const ignored = /^(?:node_modules|dist|gen|\..*)$/

function filesIn(root, path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  const names = readdirSync(join(root, path)).filter((name) => !ignored.test(name))
  return names.flatMap((name) => filesIn(root, join(path, name)))
}

/** A mutex between processes, as a file with the pid of the one that has it. */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true })
  if (!take(path)) {
    process.stderr.write('svc: waiting for another process that prepares this…\n')
    while (!take(path)) await sleep(200)
  }
  try {
    await work()
  } finally {
    rmSync(path, { force: true })
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  try {
    process.kill(Number(readFileSync(path, 'utf8')), 0)
  } catch {
    // Its holder was killed.
    rmSync(path, { force: true })
  }
  return false
}
