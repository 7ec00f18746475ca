import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createFlag } from '../../support/api.ts'
import { startBalancer } from '../../support/balancer.ts'
import { openEvents } from '../../support/event-source.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { percentiles } from '../../support/load.ts'
import { untilReady } from '../../support/stack.ts'
import { right, startTraffic, type Unit } from '../../support/traffic.ts'

/** How often a gateway is replaced. */
const rolls = Number(process.env.ROLLS ?? 20)

/** Requests; fewer on a machine that has other work. */
const perSecond = Number(process.env.PER_SECOND ?? 200)

/** How long the load balancer goes on sending to a gateway that was asked to end, in milliseconds. */
const lateMs = 3000

/** As it is by default. */
const drain = '5s'

const streams = 20

/** Of a setting that a gateway has only from its start on; by turns. */
const staleLimits = ['3m', '2m'] as const

const flagPath = '/api/v1/namespaces/default/flags/on'

t.setTimeout(120_000 + rolls * 60_000)

const name = `of two gateways, one is replaced ${rolls} times, each time with another setting: no request fails`
t.test(name, async (t) => {
  const fleet = await startFleet(t, {
    gateways: 2,
    env: { SVC_SERVER_DRAIN: drain },
  })
  const flag = await createFlag(fleet.api)
  const balancer = await startBalancer(
    t,
    fleet.gateways.map(({ port }) => port),
  )
  const credential = { authorization: `Bearer ${fleet.token}` }
  const evaluate = unitOf('POST', '/evaluate/v1/boolean', { flagKey: 'on' })
  const units = [
    evaluate,
    unitOf('GET', flagPath),
    unitOf('POST', '/ofrep/v1/evaluate/flags', {}),
    unitOf('PUT', flagPath, flag),
    // Writes take turns, and a slow disk does not do many a second.
    ...Array.from({ length: 7 }, () => evaluate),
  ]
  const { port } = balancer
  const traffic = startTraffic(t, { port, token: fleet.token, perSecond, units })
  const listening = Array.from({ length: streams }, () =>
    listen(t, `http://127.0.0.1:${port}/ofrep/v1/namespaces/default/events`, credential),
  )

  for (let i = 0; i < rolls; i += 1) {
    const gateway = fleet.gateways[i % 2]
    if (gateway === undefined) throw new Error('no gateway')
    const ended = gateway.kill('SIGTERM')
    await sleep(lateMs)
    balancer.leave(gateway.port)
    await ended
    await gateway.restart(undefined, { SVC_CACHE_MAX_STALE: staleLimits[i % 2] ?? '' })
    await untilReady(`http://127.0.0.1:${gateway.port}`)
    balancer.enter(gateway.port)
    // Until both have their share of the connections.
    await sleep(1000)
  }
  const { outcomes, tookMs } = await traffic.stop()
  t.comment(`${rolls} rolls: ${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
  const what = `failed requests in ${rolls} rolls of gateways, of ${tookMs.length}`
  figure(t, 'R-15', what, { atMost: 0 }, wrongOf(outcomes))
  t.strictSame(Object.keys(outcomes), ['right'])
  const opened = listening.reduce((sum, client) => sum + client.opened, 0)
  const refusals = listening.flatMap((client) => client.refusals)
  t.comment(`${streams} event streams: opened ${opened} times, refused ${refusals.length} times`)
  t.strictSame(refusals, [])
  t.ok(opened <= streams * (rolls + 1), 'a stream is ended once in a roll at most')
})

function unitOf(method: string, path: string, body?: object): Unit {
  return async (send) => {
    const { status, text } = await send(method, path, body)
    return status === 200 ? right : `${method} ${path}: ${status} ${text}`
  }
}

/** Keeps an event stream open as browsers do: comes back when it ends, after the time that it names. */
function listen(t: Test, url: string, headers: Readonly<Record<string, string>>) {
  const client = { opened: 0, refusals: [] as string[] }
  let isOver = false
  t.teardown(() => {
    isOver = true
  })
  const keepOpen = async () => {
    while (!isOver) {
      const { status, ended, text } = await openEvents(t, url, headers)
      if (status === 200) client.opened += 1
      else client.refusals.push(String(status))
      await ended
      await sleep(Number(/^retry: (\d+)$/m.exec(text())?.[1] ?? 1000))
    }
  }
  keepOpen().catch((error: unknown) => {
    if (!isOver) client.refusals.push(String(error))
  })
  return client
}
