import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AppError } from '@svc/runtime'
import t, { type Test } from 'tap'
import { identifyProcess } from './process-identity.ts'
import { SupervisedService } from './supervise.ts'

/** A service as small as it can be: it counts its lives in a file, then does what the test wants. */
function supervise(t: Test, body: string) {
  const directory = t.testdir({ 'service.mjs': serviceScript(body) })
  const lines: string[] = []
  const restarts: string[] = []
  let started = 0
  let onFailure: (error: AppError) => void = () => {}
  const failure = new Promise<AppError>((resolve) => {
    onFailure = resolve
  })
  const service = new SupervisedService(
    { name: 'example', script: join(directory, 'service.mjs'), env: { PATH: process.env.PATH } },
    {
      onStart: () => {
        started++
      },
      onLine: (_, line) => lines.push(line),
      onRestart: (_, how, delayMs) => restarts.push(`${how}, ${delayMs} ms`),
      onFailure,
    },
  )
  t.teardown(() => service.kill())
  service.start()
  return { service, lines, restarts, failure, startedTimes: () => started }
}

function serviceScript(body: string): string {
  return `
    import { appendFileSync, readFileSync } from 'node:fs'
    const lives = new URL('lives', import.meta.url)
    appendFileSync(lives, '.')
    const life = readFileSync(lives, 'utf8').length
    const ready = () => process.send({ ready: true, port: 1 })
    process.on('disconnect', () => process.exit(0))
    process.channel.unref()
    const stay = () => setInterval(() => {}, 1000)
    ${body}`
}

async function until(condition: () => boolean): Promise<void> {
  for (let waitedMs = 0; !condition(); waitedMs += 10) {
    if (waitedMs > 10_000) throw new Error('it does not happen')
    await sleep(10)
  }
}

t.test('says when the service is ready, and ends it when asked', async (t) => {
  const { service } = supervise(t, `process.on('SIGTERM', () => process.exit(0)); ready(); stay()`)
  await service.ready
  const { pid = 0 } = service
  t.ok(identifyProcess(pid))
  await service.stop(5000)
  t.equal(identifyProcess(pid), undefined)
  t.equal(service.pid, undefined)
})

t.test('ends by force a service that does not want to', async (t) => {
  const { service, restarts } = supervise(t, `process.on('SIGTERM', () => {}); ready(); stay()`)
  await service.ready
  const before = performance.now()
  await service.stop(100)
  t.ok(performance.now() - before < 2000)
  t.strictSame(restarts, [])
})

t.test('starts a service again that was killed', async (t) => {
  const { service, restarts, startedTimes } = supervise(t, 'ready(); stay()')
  await service.ready
  const { pid = 0 } = service
  process.kill(pid, 'SIGKILL')
  await until(() => startedTimes() === 2)
  t.strictSame(restarts, ['was ended by SIGKILL, 50 ms'])
  t.not(service.pid, pid)
})

t.test('waits longer before each further start', async (t) => {
  const { restarts, service } = supervise(t, `ready(); setTimeout(() => process.exit(3), 20)`)
  await service.ready
  await until(() => restarts.length === 4)
  t.strictSame(
    restarts,
    [50, 100, 200, 400].map((delayMs) => `ended with exit code 3, ${delayMs} ms`),
  )
})

t.test('does not start a service again that refuses its settings', async (t) => {
  const script = `console.error('SVC_X  is not a setting.\\nSVC_Y  is not one.'); process.exitCode = 2`
  const { failure, startedTimes } = supervise(t, script)
  t.match(await failure, {
    code: 'invalid_argument',
    message: /^SVC_X {2}is not a setting\.\nSVC_Y {2}is not one\.$/,
  })
  t.equal(startedTimes(), 1)
})

t.test('gives up on a service that never gets ready, with its last words', async (t) => {
  const fatal = JSON.stringify({ level: 'fatal', msg: 'the schema is newer than this build' })
  const script = `console.log('${fatal}'); console.error('a stack trace'); process.exitCode = 1`
  const { failure, startedTimes } = supervise(t, script)
  t.match(await failure, {
    code: 'failed_precondition',
    message: 'example does not start: the schema is newer than this build',
  })
  t.equal(startedTimes(), 3)
})

t.test('tries more than once before it is ready', async (t) => {
  const { service, startedTimes } = supervise(t, `if (life < 3) process.exit(1); ready(); stay()`)
  await service.ready
  t.equal(startedTimes(), 3)
})

t.test('passes on every line, also what is written last', async (t) => {
  const script = `console.log('one'); console.error('two'); process.stdout.write('three'); process.exitCode = 2`
  const { failure, lines } = supervise(t, script)
  await failure
  t.strictSame(lines.toSorted(), ['one', 'three', 'two'])
})

t.test('leaves Ctrl-C to the launcher: services are not in its process group', async (t) => {
  const { service } = supervise(t, 'ready(); stay()')
  await service.ready
  const groupOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[4]
  t.equal(groupOf(service.pid ?? 0), String(service.pid))
})
