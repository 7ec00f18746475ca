import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Total } from './run.files.ts'
import { groupFiles } from './run.groups.ts'
import { findTestFiles, listTestFiles, readRunOptions } from './run.options.ts'
import { describeOmitted } from './run.report.ts'

t.test('the choice of test files', async (t) => {
  const built = () => ({ 'a.test.js': '', 'b.test.js': '', 'c.slow.test.js': '' })
  const root = t.testdir({
    packages: { one: { src: { 'a.test.ts': '', 'a.ts': '', 'b.test.ts': '' }, dist: built() } },
    services: { two: { src: { deep: { 'a.test.ts': '' } }, dist: { deep: built() } } },
    test: {
      contract: { 'a.test.ts': '', 'c.slow.test.ts': '' },
      chaos: { 'a.test.ts': '' },
      interface: { 'a.chromium.test.ts': '' },
      nightly: { load: { 'a.test.ts': '' } },
      dist: {
        contract: built(),
        chaos: built(),
        interface: { 'a.chromium.test.js': '' },
        nightly: { load: built() },
      },
    },
  })
  const chosenBy = (...args: string[]) =>
    findTestFiles(root, readRunOptions(args)).map(({ compiled }) => compiled)

  const usual = [
    'packages/one/dist/a.test.js',
    'packages/one/dist/b.test.js',
    'services/two/dist/deep/a.test.js',
    'test/dist/contract/a.test.js',
  ]
  await t.test('is all but the slow ones', async (t) => {
    t.strictSame(chosenBy(), usual)
    const [contract, slow] = [usual.slice(0, 3), usual.slice(3)]
    const minutes = [
      'test/dist/chaos/a.test.js',
      ...slow,
      'test/dist/contract/c.slow.test.js',
      'test/dist/interface/a.chromium.test.js',
    ]
    t.strictSame(chosenBy('--slow'), [...contract, ...minutes])
  })

  await t.test('may be a folder, a source, or a compiled file', async (t) => {
    t.strictSame(chosenBy('packages/one'), usual.slice(0, 2))
    t.strictSame(chosenBy('./services/two/src/deep/'), [usual[2]])
    t.strictSame(chosenBy('packages/one/src/b.test.ts'), [usual[1]])
    t.strictSame(chosenBy('test/dist/contract/a.test.js', 'test/contract/a.test.ts'), [usual[3]])
    t.strictSame(chosenBy('test/nightly'), ['test/dist/nightly/load/a.test.js'])
  })

  await t.test('is refused in a sentence when there is no such test', async (t) => {
    t.throws(() => chosenBy('packages/three'), { message: 'There is no test in packages/three.' })
    t.throws(() => chosenBy('--fast'), { message: /^--fast is not an option/ })
  })

  await t.test('is refused when a test is not built', async (t) => {
    const unbuilt = t.testdir({ packages: { one: { src: { 'c.test.ts': '' } } } })
    const message = 'packages/one/src/c.test.ts is not built.'
    t.throws(() => findTestFiles(unbuilt, readRunOptions([])), { message })
  })
})

t.test('unit tests', async (t) => {
  const usesDatabase = `import { createTestDatabase } from '@svc/database/testing'`
  const units = Array.from({ length: 41 }, (_, i) => [`u${i + 10}.test.ts`, '']).values()
  const src = {
    ...Object.fromEntries(units),
    'direct.test.ts': usesDatabase,
    'indirect.test.ts': `import { open } from './x.test.support.ts'`,
    'x.test.support.ts': usesDatabase,
    'jobs.test.ts': 't.jobs = 4',
    'process.test.ts': `import { spawn } from 'node:child_process'`,
    'a.slow.test.ts': '',
  }
  const root = t.testdir({ packages: { one: { src } }, test: { contract: { 'a.test.ts': '' } } })
  const all = listTestFiles(root)

  await t.test(
    'share processes, as those with a database do; every other file has its own',
    async (t) => {
      const groups = groupFiles(all).map(({ name, files }) => [name, files.length])
      t.strictSame(groups, [
        ['test/contract', 1],
        ['packages units', 21],
        ['packages units 2', 20],
        ['packages/one', 2],
        ['packages/one slow', 1],
        ['packages/one/src/jobs.test.ts', 1],
        ['packages/one/src/process.test.ts', 1],
      ])
    },
  )

  await t.test('leave the rest to other commands, which the run names', async (t) => {
    const run = all.filter(({ isUnit }) => isUnit)
    const [usual, slow, ...rest] = describeOmitted(all, run).split('\n')
    t.equal(usual, 'not run: 5 files (npm test)')
    t.match(slow, /^not run: 1 files \(npm run test:slow: /)
    t.strictSame(rest, [''])
    t.equal(describeOmitted(all, all), '')
  })
})

t.test('what becomes of test files', async (t) => {
  const header = `import t from 'tap'\n`
  const root = t.testdir({
    'good.js': `${header}t.ok(true)\nt.test('two', async (t) => t.ok(true))`,
    'bad.js': `${header}console.log('a clue')\nt.test('sum', async (t) => t.equal(1 + 1, 3))`,
    'crash.js': 'process.exit(3)',
    'empty.js': '',
    'uncaught.js': `${header}
      t.test('throws', async (t) => {
        setTimeout(() => { throw new Error('too late') })
        await new Promise((resolve) => setTimeout(resolve, 1000))
      })
      t.test('goes on', async (t) => t.ok(true))`,
    'later.js': `${header}t.test('one', { skip: 'no time' }, async () => {})`,
    'one.js': `${header}t.test('one', async (t) => t.ok(true))`,
    'two.js': `${header}t.test('two', async (t) => t.ok(true))`,
    'folder.js': `${header}
      import { existsSync, writeFileSync } from 'node:fs'
      t.test('has a folder', async (t) => {
        const folder = t.testdir({})
        t.teardown(() => writeFileSync('folder-at-teardown', String(existsSync(folder))))
        t.ok(folder)
      })`,
    'leak.js': `${header}
      import { spawn } from 'node:child_process'
      import { writeFileSync } from 'node:fs'
      const child = spawn('sleep', ['60'], { stdio: 'ignore' })
      writeFileSync('leaked', String(child.pid))
      child.unref()
      t.equal(process.env.NODE_OPTIONS, undefined)`,
  })
  const script = `
    import { runFiles } from ${JSON.stringify(new URL('./run.files.js', import.meta.url).href)}
    import { describeOutcome } from ${JSON.stringify(new URL('./run.report.js', import.meta.url).href)}
    const toFile = (source) => ({
      source,
      compiled: source.replace(/.*\\/|ts$/g, '') + 'js',
      suite: 'usual',
      isUnit: source.includes('/src/'),
      isShared: source.includes('/src/'),
    })
    const names = ['good', 'bad', 'crash', 'empty', 'uncaught', 'later', 'folder', 'leak', 'p/src/one', 'p/src/two']
    const texts = []
    const total = await runFiles(
      names.map((name) => toFile(name + '.ts')),
      {
        root: ${JSON.stringify(root)},
        env: process.env,
        reportFile: ${JSON.stringify(join(root, 'results.tap'))},
        signal: new AbortController().signal,
        onEnd: (file, outcome) => texts.push(describeOutcome(file, outcome)),
      },
    )
    console.log(JSON.stringify({ total, text: texts.join('') }))`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TAP: undefined, TAP_CHILD_ID: undefined },
    encoding: 'utf8',
  })
  const { total, text }: { total: Total; text: string } = JSON.parse(output)

  await t.test('is counted by the assertion', async (t) => {
    t.strictSame(total, { passed: 7, failed: 4, skipped: 1 })
  })

  await t.test('is reported with what helps', async (t) => {
    t.match(text, /ok {2}.* good\.ts {2}2 passed\n/)
    t.match(text, /FAIL.* bad\.ts {2}0 passed, 1 failed\n\n {5}sum > should be equal\n.*a clue/s)
    t.match(text, /FAIL.* crash\.ts {2}0 passed, 1 failed\n\n {5}ended with exit code 3\n/)
    t.match(text, /FAIL.* empty\.ts {2}0 passed, 1 failed\n\n {5}has no tests\n/)
    t.match(text, /FAIL.* uncaught\.ts {2}1 passed, 1 failed\n\n {5}throws > too late\n/)
    t.match(text, /ok {2}.* later\.ts {2}0 passed, 1 skipped\n/)
    t.match(text, /ok {2}.* p units \(2 files\) {2}2 passed\n/)
    t.match(readFileSync(join(root, 'results.tap'), 'utf8'), /^ok \d+ - good\.ts/m)
  })

  await t.test('leaves them their folder until they have ended what writes to it', async (t) => {
    t.equal(readFileSync(join(root, 'folder-at-teardown'), 'utf8'), 'true')
  })

  await t.test('includes the end of what they left running', async (t) => {
    const pid = readFileSync(join(root, 'leaked'), 'utf8')
    const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : 'Z'
    t.match(state, /Z/)
  })
})
