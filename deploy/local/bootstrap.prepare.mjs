import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { buildInputs, installInputs, isBuilt, protoInputs } from './bootstrap.inputs.mjs'
import { withLock } from './bootstrap.lock.mjs'
import { runStep } from './bootstrap.processes.mjs'
import { startStep } from './bootstrap.progress.mjs'

const pnpmVersion = '12.21.0'

/** Installs and builds what has changed since it was last done. To look takes some 50 ms. */
export async function prepare(root) {
  const steps = stepsOf(root)
  if (steps.every(isFresh)) return
  await withLock(join(root, 'node_modules/.svc/lock'), async () => {
    for (const step of steps) {
      // Somebody else may have done it while we waited.
      if (!isFresh(step)) await renew(step)
    }
  })
}

function isFresh({ stamp, inputs, hasOutput }) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs() && hasOutput()
}

async function renew({ doing, done, stamp, inputs, run }) {
  const step = startStep({ doing, done })
  // Taken before, so that what is changed meanwhile is seen the next time.
  const before = inputs()
  try {
    await run(step.see)
    step.end()
  } catch (error) {
    step.fail()
    throw new Error(`${error.message}\n\nsvc: ${doing} failed.`)
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, before)
}

function stepsOf(root) {
  const stampOf = (name) => join(root, 'node_modules/.svc', name)
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const options = { cwd: root, env: { ...process.env, PATH: path } }
  return [
    {
      doing: 'installing packages (a minute or two the first time)',
      done: 'installed packages',
      stamp: stampOf('installed'),
      inputs: () => installInputs(root),
      hasOutput: () => existsSync(join(root, 'node_modules/.bin/tsc')),
      run: (see) => install(root, see),
    },
    {
      doing: 'generating code from the protos',
      done: 'generated code from the protos',
      stamp: stampOf('generated'),
      inputs: () => protoInputs(root),
      hasOutput: () => existsSync(join(root, 'proto/gen/descriptors.binpb')),
      run: () => runStep(process.execPath, ['proto/generate.mjs'], options),
    },
    {
      doing: 'compiling',
      done: 'compiled',
      stamp: stampOf('compiled'),
      inputs: () => buildInputs(root),
      hasOutput: () => isBuilt(root),
      run: () => runStep('tsc', ['-b'], options),
    },
  ]
}

function install(root, see) {
  const [command, ...args] = hasPnpm() ? ['pnpm'] : ['npx', '-y', `pnpm@${pnpmVersion}`]
  // Nobody is asked anything, and what tests and builds need is installed in production as well.
  const env = { ...process.env, CI: 'true', NODE_ENV: '' }
  return runStep(command, [...args, 'install', '--frozen-lockfile'], { cwd: root, env }, see)
}

function hasPnpm() {
  const { stdout } = spawnSync('pnpm', ['--version'], { encoding: 'utf8' })
  return stdout?.trim() === pnpmVersion
}
