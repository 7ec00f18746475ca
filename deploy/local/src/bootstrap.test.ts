import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { findProcess } from './processes.ts'

const folder = new URL('../', import.meta.url)

/** Runs a script that imports from the bootstrap's files, which are plain JavaScript. */
function runScript(text: string, ...args: string[]): ChildProcess {
  const script = text.replaceAll('./bootstrap', new URL('bootstrap', folder).href)
  const node = ['--input-type=module', '-e', script, ...args]
  return spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = ''
  child.stdout?.on('data', (data) => {
    output += data
  })
  await once(child, 'close')
  return output.trim()
}

t.test('refuses what it does not know, in a sentence', async (t) => {
  const bootstrap = fileURLToPath(new URL('bootstrap.mjs', folder))
  const { status, stderr } = spawnSync(process.execPath, [bootstrap, 'stop'], { encoding: 'utf8' })
  t.equal(status, 1)
  t.equal(stderr, 'Use: npm start, npm test, or npm run bench\n')
})

t.test('what a build depends on', async (t) => {
  const project = () => ({
    'package.json': '{}',
    src: { 'a.ts': '1' },
    dist: {},
    node_modules: {},
  })
  const root = t.testdir({
    'tsconfig.json':
      '{"references":[{"path":"proto"},{"path":"packages/one"},{"path":"packages/client"},{"path":"packages/ui"}]}',
    'tsconfig.base.json': '{}',
    'package.json': '{}',
    'pnpm-lock.yaml': '',
    'pnpm-workspace.yaml': '',
    proto: project(),
    packages: Object.fromEntries(
      ['one', 'contract', 'runtime', 'client', 'documents', 'evaluation', 'ui'].map((name) => [
        name,
        project(),
      ]),
    ),
  })
  const script = `import { hashOf, stepsOf } from './bootstrap.prepare.mjs'
    const root = process.argv[1]
    console.log(...stepsOf(root).map(({ inputs }) => hashOf(root, inputs)))`
  const look = async () => (await outputOf(runScript(script, root))).split(' ')
  let before = await look()
  const changed = async () => {
    const after = await look()
    const [install, generate, client, build, site] = after.map((input, i) => input !== before[i])
    before = after
    return { install, generate, client, build, site }
  }

  const nothing = { install: false, generate: false, client: false, build: false, site: false }
  const everything = { install: true, generate: true, client: true, build: true, site: true }
  await t.test('is not what it makes', async (t) => {
    writeFileSync(join(root, 'packages/one/dist/a.js'), '1')
    writeFileSync(join(root, 'proto/node_modules/a.js'), '1')
    t.strictSame(await changed(), nothing)
  })
  await t.test('is a source, also one that is new or gone', async (t) => {
    for (const edit of [
      () => writeFileSync(join(root, 'packages/one/src/a.ts'), '22'),
      () => writeFileSync(join(root, 'packages/one/src/b.ts'), '3'),
      () => rmSync(join(root, 'packages/one/src/b.ts')),
    ]) {
      edit()
      t.strictSame(await changed(), { ...nothing, build: true })
    }
  })
  await t.test('is a page, for the interface too', async (t) => {
    writeFileSync(join(root, 'packages/ui/src/a.tsx'), '1')
    t.strictSame(await changed(), { ...nothing, build: true, site: true })
  })
  await t.test('is a proto, for the generated code too', async (t) => {
    writeFileSync(join(root, 'proto/src/a.proto'), '1')
    t.strictSame(await changed(), { ...everything, install: false })
  })
  await t.test('is what is installed', async (t) => {
    writeFileSync(join(root, 'pnpm-lock.yaml'), 'another')
    t.strictSame(await changed(), everything)
  })
})

t.test('the lock', async (t) => {
  const path = join(t.testdir(), 'folder', 'lock')
  const script = `import { withLock } from './bootstrap.prepare.mjs'
    await withLock(process.argv[1], async () => {
      const startedAt = Date.now()
      await new Promise((resolve) => setTimeout(resolve, 300))
      console.log(startedAt, Date.now())
    })`

  await t.test('lets one work at a time', async (t) => {
    const holders = Array.from({ length: 3 }, () => outputOf(runScript(script, path)))
    const times = (await Promise.all(holders)).map((line) => line.split(' ').map(Number)).sort()
    t.equal(times.length, 3)
    for (const [i, [startedAt = 0]] of times.entries()) {
      const [, previousEndedAt = 0] = times[i - 1] ?? []
      t.ok(startedAt >= previousEndedAt)
    }
  })

  await t.test('is taken from a process that was killed', async (t) => {
    const { pid } = spawnSync('true')
    writeFileSync(path, String(pid))
    t.match(await outputOf(runScript(script, path)), /^\d+ \d+$/)
  })
})

t.test('the command that it hands over to', async (t) => {
  const script = (command: string) =>
    `import { run } from './bootstrap.run.mjs'
     const args = ['-e', ${JSON.stringify(command)}]
     process.exitCode = await run(process.execPath, args, { stdio: [0, 1, 2, 'ipc'] })`

  await t.test('gives its exit code', async (t) => {
    const child = runScript(script('process.exit(7)'))
    await outputOf(child)
    t.equal(child.exitCode, 7)
  })

  await t.test('receives a signal that only the bootstrap got', async (t) => {
    const command = `setInterval(() => {}, 1000)
      process.on('SIGTERM', () => process.exit(8))
      console.log(process.pid)`
    const child = runScript(script(command))
    child.stdout?.once('data', () => child.kill('SIGTERM'))
    await outputOf(child)
    t.equal(child.exitCode, 8)
  })

  await t.test('ends when its bootstrap is killed', async (t) => {
    const command = `setInterval(() => {}, 1000)
      process.on('disconnect', () => process.exit())
      console.log(process.pid)`
    const child = runScript(script(command))
    child.stdout?.once('data', () => child.kill('SIGKILL'))
    const pid = Number(await outputOf(child))
    await t.resolves(waitFor(() => findProcess(pid) === undefined))
  })
})
