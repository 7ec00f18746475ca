import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
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
    'tsconfig.json': '{"references":[{"path":"proto"},{"path":"packages/one"}]}',
    'tsconfig.base.json': '{}',
    'package.json': '{}',
    'pnpm-lock.yaml': '',
    'pnpm-workspace.yaml': '',
    proto: project(),
    packages: { one: project() },
  })
  const script = `import { hashOf, stepsOf } from './bootstrap.prepare.mjs'
    const root = process.argv[1]
    console.log(...stepsOf(root).map(({ inputs }) => hashOf(root, inputs)))`
  const look = async () => (await outputOf(runScript(script, root))).split(' ')
  let before = await look()
  const changed = async () => {
    const after = await look()
    const [install, generate, build] = after.map((input, i) => input !== before[i])
    before = after
    return { install, generate, build }
  }

  await t.test('is not what it makes', async (t) => {
    writeFileSync(join(root, 'packages/one/dist/a.js'), '1')
    writeFileSync(join(root, 'proto/node_modules/a.js'), '1')
    t.strictSame(await changed(), { install: false, generate: false, build: false })
  })
  await t.test('is a source, also one that is new or gone', async (t) => {
    for (const edit of [
      () => writeFileSync(join(root, 'packages/one/src/a.ts'), '22'),
      () => writeFileSync(join(root, 'packages/one/src/b.ts'), '3'),
      () => rmSync(join(root, 'packages/one/src/b.ts')),
    ]) {
      edit()
      t.strictSame(await changed(), { install: false, generate: false, build: true })
    }
  })
  await t.test('is a proto, for the generated code too', async (t) => {
    writeFileSync(join(root, 'proto/src/a.proto'), '1')
    t.strictSame(await changed(), { install: false, generate: true, build: true })
  })
  await t.test('is what is installed', async (t) => {
    writeFileSync(join(root, 'pnpm-lock.yaml'), 'another')
    t.strictSame(await changed(), { install: true, generate: true, build: true })
  })
})

t.test('the lock', async (t) => {
  const root = t.testdir()
  const path = join(root, 'folder', 'lock')
  const script = `import { withLock } from './bootstrap.lock.mjs'
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

  await t.test('is taken from a process that died', async (t) => {
    mkdirSync(join(root, 'folder'), { recursive: true })
    writeFileSync(path, '1\n')
    const longAgo = new Date(Date.now() - 60_000)
    utimesSync(path, longAgo, longAgo)
    t.match(await outputOf(runScript(script, path)), /^\d+ \d+$/)
  })
})

t.test('a step of the preparation', async (t) => {
  const script = (isTerminal: boolean) => `
    import { startStep } from './bootstrap.progress.mjs'
    import { runStep } from './bootstrap.processes.mjs'
    let text = ''
    const stream = { isTTY: ${isTerminal}, write: (more) => { text += more } }
    const names = { doing: 'installing packages', done: 'installed packages' }
    const step = startStep(names, { stream, terminalMs: 20, fileMs: 20 })
    const printed = [
      'Progress: resolved 577, reused 0, downloaded 1, added 0',
      'Progress: resolved 577, reused 0, downloaded 179, added 178',
    ]
    const command = 'console.log(' + JSON.stringify(printed.join('\\n')) + '); setTimeout(() => {}, 300)'
    await runStep(process.execPath, ['-e', command], {}, step.see)
    step.end()
    process.stdout.write(JSON.stringify(text))`
  const run = async (isTerminal: boolean): Promise<string> =>
    JSON.parse(await outputOf(runScript(script(isTerminal))))

  await t.test('says in a file how far it is, a line each, and how long it took', async (t) => {
    const lines = (await run(false)).split('\n')
    t.equal(lines[0], 'svc: installing packages…')
    t.equal(lines.at(-1), '')
    t.match(lines.at(-2), /^svc: installed packages in \d+\.\d s$/)
    t.match(lines.join('\n'), /\nsvc: installing packages: 178 of 577, \d+ s\n/)
    t.notOk(lines.some((line) => line.includes('\r') || line.includes('\u001b')))
  })

  await t.test('says so on a terminal in one line', async (t) => {
    const text = await run(true)
    t.equal(text.split('\n').length, 2)
    const states = text.split('\r\u001b[K')
    t.equal(states[0], 'svc: installing packages…')
    t.match(states.at(-2), /^svc: installing packages… 178 of 577, \d+ s/)
    t.match(states.at(-1), /^svc: installed packages in \d+\.\d s\n$/)
    t.ok(states.every((state) => state.length < 80))
  })
})

t.test('the command that it hands over to', async (t) => {
  const script = (command: string) =>
    `import { runToTheEnd } from './bootstrap.processes.mjs'
     process.exitCode = await runToTheEnd(process.execPath, ['-e', ${JSON.stringify(command)}])`

  await t.test('gives its exit code', async (t) => {
    const child = runScript(script('process.exit(7)'))
    await outputOf(child)
    t.equal(child.exitCode, 7)
  })

  await t.test('hears of a signal that only the bootstrap got', async (t) => {
    const command = `setInterval(() => {}, 1000)
      process.on('SIGTERM', () => process.exit(8))
      console.log(process.pid)`
    const child = runScript(script(command))
    child.stdout?.once('data', () => child.kill('SIGTERM'))
    await outputOf(child)
    t.equal(child.exitCode, 8)
  })

  await t.test('hears of the end of a bootstrap that was killed', async (t) => {
    const command = `setInterval(() => {}, 1000)
      process.on('disconnect', () => process.exit())
      console.log(process.pid)`
    const child = runScript(script(command))
    child.stdout?.once('data', () => child.kill('SIGKILL'))
    const pid = Number(await outputOf(child))
    for (let i = 0; findProcess(pid) !== undefined && i < 100; i += 1) await sleep(20)
    t.equal(findProcess(pid), undefined)
  })
})
