import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { version } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'

// Some of the limits are 9 s and 20 s.
t.setTimeout(180_000)

const script = fileURLToPath(new URL('./process.test.support.js', import.meta.url))

const env = { SVC_DB_URL: 'postgres://svc:hunter2@127.0.0.1/svc' }
const bad = { ...env, SVC_LOG_LEVEL: 'loud', SVC_CORS_ENABLED: 'maybe' }

function start(t: Test, words: readonly string[], more: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [script, ...words], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...more },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  t.teardown(() => void child.kill('SIGKILL'))
  return child
}

/** Runs the process to its end. */
async function run(t: Test, words: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const child = start(t, words, more)
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('it has no output')
  const [output, errors] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
  return { exitCode: child.exitCode, output, errors }
}

t.test('--version prints the version without settings', async (t) => {
  t.strictSame(await run(t, ['--version'], bad), {
    exitCode: 0,
    output: `svc-pretender ${version} (Node.js ${process.versions.node})\n`,
    errors: '',
  })
})

t.test('--help explains every command without settings', async (t) => {
  for (const words of [['--help'], ['-h'], ['cup', 'fill', '--help'], ['--help', '--version']]) {
    const { exitCode, output, errors } = await run(t, words, bad)
    t.equal(exitCode, 0)
    t.equal(errors, '')
    t.match(output, /^svc-pretender \S+: pretends to be a service\.\n\nUsage: svc-pretender /)
    t.match(output, /\n {2}serve +starts the service \(the default\)\n/)
    t.match(output, /\n {2}cup fill --drink NAME\n +fills a cup and prints what is in it\n/)
    for (const option of ['config FILE', 'check', 'version', 'help']) t.match(output, `--${option}`)
    t.strictSame(
      output.split('\n').filter((line) => line.length > 80),
      [],
    )
  }
})

t.test('--check checks the settings, also those that the service needs, and ends', async (t) => {
  const good = await run(t, ['--check'], env)
  t.strictSame(good, {
    exitCode: 0,
    output: 'the settings of svc-pretender are good\n',
    errors: '',
  })

  const missing = await run(t, ['--check'])
  t.match(missing, { exitCode: 2, output: '', errors: /^db\.url is missing\. .+\n$/ })

  const wrong = await run(t, ['--check'], bad)
  t.match(wrong, { exitCode: 2, output: '' })
  t.match(wrong.errors, /^SVC_CORS_ENABLED {2}.+\nSVC_LOG_LEVEL {2}.+\n$/)
  t.notMatch(wrong.errors, 'hunter2')
})

t.test('bad arguments are answered with a usage line, before the settings are read', async (t) => {
  const refusals: [words: string[], message: RegExp][] = [
    [['pour'], /^there is no command "pour"\n/],
    [['cup'], /^there is no command "cup"\n/],
    [['serve', 'now'], /^there is no command "serve now"\n/],
    [['--prot', '80'], /^Unknown option '--prot'\n/],
    [['--drink', 'tea'], /^--drink is no option of serve\n/],
    [['cup', 'fill'], /^--drink is missing\n/],
    [['cup', 'fill', '--drink'], /^Option '--drink <value>' argument missing\n/],
    [['--config', 'a', '--config', 'b'], /^--config can be given once\n/],
  ]
  for (const [words, message] of refusals) {
    const { exitCode, output, errors } = await run(t, words, bad)
    t.equal(exitCode, 2, words.join(' '))
    t.equal(output, '')
    t.match(errors, message)
    t.match(errors, /\nUsage: svc-pretender .+\n$/)
  }
  for (const words of [
    ['cup', 'fill'],
    ['cup', 'fill', '--drnk', 'tea'],
  ]) {
    const { errors } = await run(t, words)
    t.match(errors, '\nUsage: svc-pretender cup fill --drink NAME [--config FILE]\n')
  }
})

t.test('the result of a command is alone on standard output', async (t) => {
  const { exitCode, output, errors } = await run(t, ['cup', 'fill', '--drink', 'tea'])
  t.equal(exitCode, 0)
  t.equal(output, 'tea\n')
  const lines = errors.trim().split('\n')
  t.match(
    lines.map((line) => JSON.parse(line)),
    [{ msg: 'no configuration file found, using defaults' }, { msg: 'filled a cup', drink: 'tea' }],
  )
})

t.test('a service logs its version when it starts', async (t) => {
  const child = start(t, [], env)
  const { stdout } = child
  if (stdout === null) throw new Error('it has no output')
  const output = text(stdout)
  t.match(await once(child, 'message'), [{ ready: true, port: 4711 }])
  child.kill('SIGTERM')
  const lines = (await output).trim().split('\n')
  const build = { name: 'svc-pretender', version, node: process.versions.node }
  t.match(JSON.parse(lines[0] ?? ''), { level: 'info', msg: 'starting', ...build })
})

/** A service that runs, and the lines that it logs. */
async function startService(t: Test, more: Readonly<Record<string, string>>) {
  const child = start(t, [], { ...env, SVC_METRICS_PORT: '0', ...more })
  const { stdout } = child
  if (stdout === null) throw new Error('it has no output')
  const lines: Record<string, unknown>[] = []
  createInterface(stdout).on('line', (line) => lines.push(JSON.parse(line)))
  const ended = once(child, 'close')
  if (more.STARTING === undefined) await once(child, 'message')
  return { child, lines, ended, has: (msg: string) => lines.some((line) => line.msg === msg) }
}

t.test('drains, closes and logs its last line, then ends with 0', async (t) => {
  const { child, lines, ended, has } = await startService(t, { DRAINING: 'told' })
  const { port } = lines.find(({ msg }) => msg === 'health and metrics are served') ?? {}
  child.kill('SIGTERM')
  await waitFor(() => has('ending'))
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
  t.equal(answer.status, 503)
  t.match(await answer.json(), { status: 'draining' })
  child.send('drained')
  t.strictSame(await ended, [0, null])
  t.match(lines.slice(-2), [{ msg: 'ending', signal: 'SIGTERM', drainMs: 5000 }, { msg: 'ended' }])
})

t.test('says at /readyz what its start waits for', async (t) => {
  const { child, lines, ended } = await startService(t, {
    STARTING: 'told',
    SVC_SERVER_DRAIN: '0s',
  })
  const served = () => lines.find(({ msg }) => msg === 'health and metrics are served')
  await waitFor(() => served() !== undefined)
  const ask = () => fetch(`http://127.0.0.1:${served()?.port}/readyz`)
  const waiting = { start: { state: 'waiting', reason: 'the cup is empty' } }
  await waitFor(async () => 'parts' in ((await (await ask()).json()) as object))
  t.strictSame(await (await ask()).json(), { status: 'not ready', parts: waiting })
  child.send('full')
  await waitFor(async () => !('parts' in ((await (await ask()).json()) as object)))
  t.strictSame(await (await ask()).json(), { status: 'not ready' })
  const ready = once(child, 'message')
  child.send('served')
  await ready
  t.strictSame(await (await ask()).json(), { status: 'ready' })
  child.kill('SIGTERM')
  await ended
})

for (const how of [
  { DRAINING: 'never', SVC_SERVER_DRAIN: '60s' },
  { ENDING: 'never', SVC_SERVER_DRAIN: '0s' },
]) {
  t.test(`a second signal ends it at once: ${JSON.stringify(how)}`, async (t) => {
    const { child, lines, ended, has } = await startService(t, how)
    child.kill('SIGTERM')
    await waitFor(() => has('ending'))
    child.kill('SIGINT')
    t.strictSame(await ended, [1, null])
    t.match(lines.at(-1), { level: 'warn', msg: 'ending at once', signal: 'SIGINT' })
  })
}

t.test('a crash ends it at once', async (t) => {
  for (const signal of ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const) {
    const { child, has, ended } = await startService(t, { SVC_SERVER_DRAIN: '60s' })
    child.kill(signal)
    t.strictSame(await ended, [null, signal])
    t.notOk(has('ending'))
  }
})

t.test('an unexpected error fails readiness, drains and ends with 1', async (t) => {
  const how = { FAILING: 'told', DRAINING: 'told', SVC_SERVER_DRAIN: '60s' }
  const { child, lines, ended, has } = await startService(t, how)
  const { port } = lines.find(({ msg }) => msg === 'health and metrics are served') ?? {}
  child.send('fail')
  await waitFor(() => has('unexpected error; ending'))
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
  t.match(await answer.json(), { status: 'draining' })
  t.equal(child.exitCode, null)
  child.send('drained')
  t.strictSame(await ended, [1, null])
  const broken = { level: 'fatal', err: { message: 'the cup is broken' }, drainMs: 4000 }
  t.match(lines.at(-1), broken)
})

for (const how of [{ DRAINING: 'never' }, { ENDING: 'never' }]) {
  t.test(`… within 10 s in any case: ${JSON.stringify(how)}`, async (t) => {
    const { child, lines, ended } = await startService(t, { ...how, FAILING: 'told' })
    const failedAt = performance.now()
    child.send('fail')
    t.strictSame(await ended, [1, null])
    const tookMs = performance.now() - failedAt
    t.ok(tookMs < 10_000, `${tookMs} ms`)
    t.match(lines.at(-1), { level: 'error', msg: 'ending with work that is not done' })
  })
}

t.test('what fails while it ends is logged', async (t) => {
  const { child, lines, ended } = await startService(t, {
    ENDING: 'failing',
    SVC_SERVER_DRAIN: '0s',
  })
  child.kill('SIGTERM')
  t.strictSame(await ended, [1, null])
  t.match(lines.at(-1), { msg: 'cannot end in order', err: { message: 'the cup is stuck' } })
})

t.test('a service whose work is never done ends all the same, and says so', async (t) => {
  const settings = { SVC_DB_URL: 'postgres://svc@127.0.0.1/svc', SVC_METRICS_PORT: '0' }
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, ...settings, SVC_SERVER_DRAIN: '0s', ENDING: 'never' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (child.stdout === null) throw new Error('it has no output')
  t.teardown(() => void child.kill('SIGKILL'))
  const output = text(child.stdout)
  const ended = once(child, 'close')
  await once(child, 'message')
  child.kill('SIGTERM')
  t.strictSame(await ended, [1, null])
  const lines = (await output).trim().split('\n')
  t.match(JSON.parse(lines.at(-1) ?? ''), {
    level: 'error',
    msg: 'ending with work that is not done',
  })
})
