import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { type Child, findProcess } from './processes.ts'
import { startService } from './start.services.ts'
import { supervise } from './supervisor.ts'

/** A minimal service. It counts its starts in a file, then does what the test wants. */
function run(t: Test, body: string) {
  const directory = t.testdir({ 'service.mjs': serviceScript(body) })
  const script = join(directory, 'service.mjs')
  const lines: string[] = []
  const tokens: string[] = []
  const warnings: string[] = []
  const children: Child[] = []
  const { promise: failure, resolve: fail } = Promise.withResolvers<unknown>()
  const service = supervise(
    {
      name: 'example',
      async start(signal) {
        const child = await startService({
          name: 'example',
          script,
          env: { PATH: process.env.PATH },
          signal,
          onLine: (_, line) => lines.push(line),
          onToken: (token) => tokens.push(token),
        })
        children.push(child)
        return child
      },
    },
    (sentence) => warnings.push(sentence),
    fail,
  )
  t.teardown(() => service.stop())
  const startedTimes = () => readFileSync(join(directory, 'starts'), 'utf8').length
  const pid = () => children.at(-1)?.pid ?? 0
  return { service, lines, tokens, warnings, failure, startedTimes, pid }
}

function serviceScript(body: string): string {
  return `
    import { appendFileSync, readFileSync } from 'node:fs'
    const file = new URL('starts', import.meta.url)
    appendFileSync(file, '.')
    const starts = readFileSync(file, 'utf8').length
    const ready = (more) => process.send({ ready: true, port: 1, ...more })
    process.on('disconnect', () => process.exit(0))
    process.channel.unref()
    const stay = () => setInterval(() => {}, 1000)
    ${body}`
}

t.test('says when the service is ready, and ends it when asked', async (t) => {
  const { service, pid } = run(t, `process.on('SIGINT', () => process.exit(0)); ready(); stay()`)
  await service.ready
  t.ok(findProcess(pid()))
  await service.stop()
  t.equal(findProcess(pid()), undefined)
})

t.test('ends by force a service that ignores the signal', async (t) => {
  const { service, warnings, pid } = run(t, `process.on('SIGINT', () => {}); ready(); stay()`)
  await service.ready
  await service.stop()
  t.equal(findProcess(pid()), undefined)
  t.strictSame(warnings, [])
})

t.test('ends a service that is still starting', async (t) => {
  const { service, lines } = run(
    t,
    `process.on('SIGINT', () => process.exit(0)); console.log('one'); stay()`,
  )
  await waitFor(() => lines.length > 0)
  await service.stop()
})

t.test('tries more than once before it is ready, and passes on the first token', async (t) => {
  const body = `if (starts < 3) process.exit(1); ready({ firstToken: 'svc_secret' }); stay()`
  const { service, tokens, startedTimes } = run(t, body)
  await service.ready
  t.equal(startedTimes(), 3)
  t.strictSame(tokens, ['svc_secret'])
})

t.test('starts a service again that was killed', async (t) => {
  const { service, warnings, startedTimes, pid } = run(t, 'ready(); stay()')
  await service.ready
  const killed = pid()
  process.kill(killed, 'SIGKILL')
  await waitFor(() => startedTimes() === 2 && pid() !== killed)
  t.match(warnings.join('\n'), /^example was ended by SIGKILL; starting it again in \d+ ms$/)
})

t.test('waits longer before each further start', async (t) => {
  const { warnings, service } = run(t, `ready(); setTimeout(() => process.exit(3), 20)`)
  await service.ready
  await waitFor(() => warnings.length === 4)
  const sentence = /^example ended with exit code 3; starting it again in (\d+) ms$/
  const delays = warnings.map((warning) => Number(sentence.exec(warning)?.[1]))
  for (const [i, delayMs] of delays.entries()) t.ok(delayMs > (delays[i - 1] ?? 0), `${delays}`)
})

t.test('does not start a service again that refuses its settings', async (t) => {
  const script = `console.error('SVC_X  is not a setting.\\nSVC_Y  is not one.'); process.exitCode = 2`
  const { failure, startedTimes } = run(t, script)
  t.match(await failure, {
    code: 'invalid_argument',
    message: /^SVC_X {2}is not a setting\.\nSVC_Y {2}is not one\.$/,
  })
  t.equal(startedTimes(), 1)
})

t.test('gives up on a service that never gets ready, with its fatal log line', async (t) => {
  const fatal = JSON.stringify({ level: 'fatal', msg: 'the schema is newer than this build' })
  const script = `console.log('${fatal}'); console.error('a stack trace'); process.exitCode = 1`
  const { failure, startedTimes } = run(t, script)
  t.match(await failure, {
    code: 'unavailable',
    message: 'example does not start: the schema is newer than this build',
  })
  t.equal(startedTimes(), 3)
})

t.test('passes on every line, also what is written last', async (t) => {
  const script = `console.log('one'); console.error('two'); process.stdout.write('three'); process.exitCode = 2`
  const { failure, lines } = run(t, script)
  await failure
  t.strictSame(lines.toSorted(), ['one', 'three', 'two'])
})

t.test('leaves Ctrl-C to the launcher: services are not in its process group', async (t) => {
  const { service, pid } = run(t, 'ready(); stay()')
  await service.ready
  const groupOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[4]
  t.equal(groupOf(pid()), String(pid()))
})
