import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { withLock } from './bootstrap.lock.mjs'
import { runStep } from './bootstrap.processes.mjs'
import { startStep } from './bootstrap.progress.mjs'

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

export function stepsOf(root) {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const projects = references.map(({ path }) => path)
  const manifests = ['.', ...projects].map((folder) => join(folder, 'package.json'))
  const installed = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const options = { cwd: root, env: { ...process.env, PATH: path } }
  return [
    {
      doing: 'installing packages (a minute or two the first time)',
      done: 'installed packages',
      inputs: { files: installed, folders: [] },
      outputs: ['node_modules/.bin/tsc'],
      run: (see) => install(root, see),
    },
    {
      doing: 'generating code from the protos',
      done: 'generated code from the protos',
      inputs: { files: installed, folders: ['proto'] },
      outputs: ['proto/gen/descriptors.binpb'],
      run: () => runStep(process.execPath, ['proto/generate.mjs'], options),
    },
    {
      doing: 'compiling',
      done: 'compiled',
      inputs: {
        files: [...installed, 'tsconfig.json', 'tsconfig.base.json'],
        folders: projects,
      },
      outputs: projects.map((project) => join(project, 'dist/.tsbuildinfo')),
      run: () => runStep('tsc', ['-b'], options),
    },
  ]
}

function isFresh(root, step) {
  const stamp = stampOf(root, step)
  return (
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === hashOf(root, step.inputs) &&
    step.outputs.every((path) => existsSync(join(root, path)))
  )
}

async function renew(root, { doing, done, inputs, run }) {
  const step = startStep({ doing, done })
  // Taken before, so that what is changed meanwhile is seen the next time.
  const before = hashOf(root, inputs)
  try {
    await run(step.see)
    step.end()
  } catch (error) {
    step.fail()
    throw new Error(`${error.message}\n\nsvc: ${doing} failed.`)
  }
  const stamp = stampOf(root, { done })
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, before)
}

function stampOf(root, { done }) {
  return join(root, 'node_modules/.svc', done.split(' ')[0])
}

/** Over what is in these files and folders, and for which machine. */
export function hashOf(root, { files, folders }) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const path of [...files, ...folders.flatMap((folder) => filesIn(root, folder))]) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)))
  }
  return hash.digest('hex')
}

/** What is made from the sources, or has nothing to do with them. */
const ignored = /^(?:node_modules|dist|gen|\..*)$/

function filesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (ignored.test(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesIn(root, path) : [path]
  })
}

function install(root, see) {
  const [command, ...args] = hasPnpm() ? ['pnpm'] : ['npx', '-y', `pnpm@${pnpmVersion}`]
  // Without questions, and with what tests and builds need even in production.
  const env = { ...process.env, CI: 'true', NODE_ENV: '' }
  return runStep(command, [...args, 'install', '--frozen-lockfile'], { cwd: root, env }, see)
}

function hasPnpm() {
  const { stdout } = spawnSync('pnpm', ['--version'], { encoding: 'utf8' })
  return stdout?.trim() === pnpmVersion
}
