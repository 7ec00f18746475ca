import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { type LoopClock, shedLoad, TurnLimit } from './load-shedding.ts'

/** An event loop whose requests take what they are said to. */
function openLoop() {
  let now = 0
  let cpu = 0
  let idle = 0
  let end: () => void = () => {}
  const loop: LoopClock = {
    now: () => now,
    idle: () => idle,
    cpu: () => cpu,
    onTurnEnd: (callback) => {
      end = callback
    },
  }
  const limit = new TurnLimit(loop)
  return {
    /** One turn of so many requests. @returns how many were admitted */
    turn(count: number, { tookMs = 1, cpuMs = 1 } = {}) {
      const refusedMs = 0.02
      let admitted = 0
      for (let i = 0; i < count; i += 1) {
        const isAdmitted = limit.admits()
        if (isAdmitted) admitted += 1
        now += isAdmitted ? tookMs : refusedMs
        cpu += isAdmitted ? cpuMs : refusedMs
      }
      end()
      return admitted
    },
    pause(ms: number) {
      now += ms
      idle += ms
    },
  }
}

t.test('a burst is served whole, and again after a pause', async (t) => {
  const { turn, pause } = openLoop()
  for (let burst = 0; burst < 3; burst += 1) {
    pause(2)
    t.equal(turn(200), 200)
  }
})

t.test('what takes longer than a burst is refused in its first turn', async (t) => {
  const { turn, pause } = openLoop()
  pause(2)
  t.equal(turn(1000), 400)
})

t.test('a loop that has not paused for longer serves a part of each turn', async (t) => {
  const { turn, pause } = openLoop()
  pause(2)
  turn(400)
  for (let i = 0; i < 5; i += 1) t.equal(turn(200), 20)
  t.equal(turn(10), 10, 'a short turn is served whole')
  pause(5)
  t.equal(turn(200), 200, 'and all of it after a pause')
})

t.test('a thread that waits for the processor is not overloaded', async (t) => {
  const { turn, pause } = openLoop()
  pause(2)
  t.equal(turn(500, { tookMs: 10, cpuMs: 0.1 }), 500, 'a burst')
  turn(400)
  t.equal(turn(40, { tookMs: 10, cpuMs: 0.1 }), 40)
  t.equal(turn(40, { tookMs: 10 }), 20, 'the limit in processor time')
})

async function start(t: Test, admits: () => boolean) {
  const served: string[] = []
  const lines: string[] = []
  const server = createServer((request, response) => {
    served.push(request.url ?? '')
    response.end('served')
  })
  const log = { warn: (line: string) => void lines.push(line) }
  shedLoad(server, { requestIdOf: () => 'an-id', log: log as never, limit: { admits } })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const ask = (path: string, body?: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: body ? 'POST' : 'GET', body: body ?? null })
  return { served, lines, ask }
}

t.test('a refusal says when to try again, and the server does nothing for it', async (t) => {
  const { served, lines, ask } = await start(t, () => false)
  for (const body of [undefined, 'x'.repeat(100_000)]) {
    const answer = await ask('/evaluate/v1/batch', body)
    t.equal(answer.status, 503)
    t.equal(answer.headers.get('retry-after'), '1')
    t.equal(answer.headers.get('x-request-id'), 'an-id')
    t.equal(answer.headers.get('cache-control'), 'no-store')
    t.equal(answer.headers.get('content-type'), 'application/json')
    const message = 'the gateway is overloaded, try again in a second'
    t.strictSame(await answer.json(), { code: 14, message, details: [] })
  }
  t.strictSame(served, [])
  t.strictSame(lines, ['overloaded: requests are refused'], 'and the log says so once')
})

t.test('probes are answered nevertheless, and so are evaluations of one flag', async (t) => {
  const { served, ask } = await start(t, () => false)
  const evaluation = '/evaluate/v1/boolean'
  const probes = ['/healthz', '/readyz', '/health', '/metrics', '/readyz?full']
  for (const path of probes) t.equal((await ask(path)).status, 200)
  t.equal((await ask(evaluation, '{"flagKey":"on"}')).status, 200)
  t.strictSame(served, [...probes, evaluation])
})

t.test('all flags at once, and batches, are no small requests', async (t) => {
  const { served, ask } = await start(t, () => false)
  for (const path of ['/ofrep/v1/evaluate/flags', '/evaluate/v1/batch?x']) {
    t.equal((await ask(path, '{}')).status, 503)
  }
  t.strictSame(served, [])
})

t.test('pauses that are too short for one of their own end a burst together', async (t) => {
  const { turn, pause } = openLoop()
  pause(2)
  for (let i = 0; i < 100; i += 1) {
    t.equal(turn(30), 30)
    pause(0.5)
  }
})

t.test('requests that are admitted are served as before', async (t) => {
  const { served, ask } = await start(t, () => true)
  t.equal(await (await ask('/any', 'body')).text(), 'served')
  t.strictSame(served, ['/any'])
})
