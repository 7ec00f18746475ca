import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createFlag } from '../../support/api.ts'
import { openEvents } from '../../support/event-source.ts'
import { startFleet } from '../../support/fleet.ts'
import { percentiles, startLoad } from '../../support/load.ts'
import { openRawClient, requestBytes } from '../../support/raw-http.ts'
import { startRelay } from '../../support/relay.ts'
import { untilReady } from '../../support/stack.ts'

/** How often a gateway is replaced. */
const rolls = Number(process.env.ROLLS ?? 20)

const perSecond = 200

/** How long the load balancer goes on sending to a gateway that was asked to end, in milliseconds. */
const lateMs = 3000

/** As it is by default. */
const drain = '5s'

const streams = 20

t.setTimeout(900_000)

t.test(`of two gateways, one is replaced ${rolls} times: no request fails`, async (t) => {
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
  const closing = { ...credential, connection: 'close' }

  const evaluation = { method: 'POST', path: '/evaluate/v1/boolean', body: { flagKey: 'on' } }
  const requests = [
    evaluation,
    { method: 'GET', path: '/api/v1/namespaces/default/flags/on' },
    { method: 'POST', path: '/ofrep/v1/evaluate/flags', body: {} },
    { method: 'PUT', path: '/api/v1/namespaces/default/flags/on', body: flag },
    // Writes take turns, and a slow disk does not do many a second.
    ...Array.from({ length: 7 }, () => evaluation),
  ].map(({ method, path, body }) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    return [
      { name: `kept ${method} ${path}`, bytes: requestBytes(path, text, credential, method) },
      { name: `new ${method} ${path}`, bytes: requestBytes(path, text, closing, method) },
    ] as const
  })
  const clients = [openRawClient(balancer.port), openRawClient(balancer.port)] as const
  t.teardown(() => {
    for (const client of clients) client.close()
  })
  let count = 0
  const load = startLoad(perSecond, async () => {
    count += 1
    const request = requests[(count >> 1) % requests.length]
    if (request === undefined) throw new Error('no request')
    const kind = count % 2 === 0 ? 1 : 0
    const { name, bytes } = request[kind]
    const { status, text } = await clients[kind].send(bytes)
    return status === 200 ? 'right' : `${name}: ${status} ${text}`
  })
  const listening = Array.from({ length: streams }, () =>
    listen(t, `http://127.0.0.1:${balancer.port}/ofrep/v1/namespaces/default/events`, credential),
  )

  for (let i = 0; i < rolls; i += 1) {
    const gateway = fleet.gateways[i % 2]
    if (gateway === undefined) throw new Error('no gateway')
    const ended = gateway.kill('SIGTERM')
    await sleep(lateMs)
    balancer.leave(gateway.port)
    await ended
    await gateway.restart()
    await untilReady(`http://127.0.0.1:${gateway.port}`)
    balancer.enter(gateway.port)
    // Until both have their share of the connections.
    await sleep(1000)
  }
  const { outcomes, tookMs } = await load.stop()
  t.comment(`${rolls} rolls: ${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
  t.strictSame(Object.keys(outcomes), ['right'])
  const opened = listening.reduce((sum, client) => sum + client.opened, 0)
  const refusals = listening.flatMap((client) => client.refusals)
  t.comment(`${streams} event streams: opened ${opened} times, refused ${refusals.length} times`)
  t.strictSame(refusals, [])
  t.ok(opened <= streams * (rolls + 1), 'a stream is ended once in a roll at most')
})

/** A load balancer that does not look at the bytes: each connection goes to one of the ports in turn. */
async function startBalancer(t: Test, ports: readonly number[]) {
  const targets = [...ports]
  let count = 0
  const next = () => ({ host: '127.0.0.1', port: targets[count++ % targets.length] ?? 0 })
  return {
    port: await startRelay(t, next),
    leave: (port: number) => targets.splice(targets.indexOf(port), 1),
    enter: (port: number) => targets.push(port),
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
