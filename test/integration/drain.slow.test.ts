import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { ofAnotherClient } from '../support/clients.ts'
import { openEvents } from '../support/event-source.ts'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'

/** Longer than any test: only a second signal ends a gateway that has this. */
const endless = { SVC_SERVER_DRAIN: '1h' }

t.test('a gateway that is asked to end', async (t) => {
  const { url } = await createTestDatabase(t)
  const fleet = await startFleet(t, { databaseUrl: url })
  const { api, token } = fleet
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await api('POST', '/api/v1/namespaces/default/flags', flag)
  const evaluation = { flagKey: 'on', entityId: 'e' }
  const credential = { authorization: `Bearer ${token}` }

  await t.test('serves while it drains, each connection for one more request', async (t) => {
    const gateway = await fleet.startGateway(endless)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.teardown(() => agent.destroy())
    const send = (path: string, body?: object) =>
      ask(agent, gateway.url + path, body, { ...credential, ...ofAnotherClient() })
    const before = await send('/evaluate/v1/boolean', evaluation)
    t.equal(before.connection, 'keep-alive')

    const ended = gateway.kill('SIGTERM')
    while ((await call(gateway.url, 'GET', '/readyz')).status === 200);
    const { status, body } = await call(gateway.url, 'GET', '/readyz')
    t.match({ status, body }, { status: 503, body: { status: 'draining' } })
    t.equal((await call(gateway.url, 'GET', '/health')).status, 503)
    t.equal((await call(gateway.url, 'GET', '/healthz')).status, 200, 'the process runs')

    const last = await send('/evaluate/v1/boolean', evaluation)
    t.equal(last.port, before.port, 'by the same connection')
    const answers = [
      last,
      await send('/evaluate/v1/boolean', evaluation),
      await send('/api/v1/namespaces/default/flags/on'),
      await send('/evaluate/v1/boolean', { flagKey: 'missing' }),
      await send('/nowhere'),
    ]
    const outcomes = answers.map(({ status, connection }) => `${status} ${connection}`)
    t.strictSame(outcomes, ['200 close', '200 close', '200 close', '404 close', '404 close'])
    const ports = new Set(answers.map(({ port }) => port))
    t.equal(ports.size, answers.length, 'each of the others by a connection of its own')

    await gateway.kill('SIGTERM')
    await ended
    t.pass('a second signal ends it')
  })

  await t.test('serves event streams until the end of the drain', async (t) => {
    const gateway = await fleet.startGateway({ SVC_SERVER_DRAIN: '3s' })
    const uri = '/ofrep/v1/namespaces/default/events'
    const early = await openEvents(t, gateway.url + uri, credential)
    const ended = gateway.kill('SIGTERM')
    while ((await call(gateway.url, 'GET', '/readyz')).status === 200);
    const late = await openEvents(t, gateway.url + uri, credential)
    t.equal(late.status, 200, 'a client that reconnects to it is not refused')
    const answer = await api('PUT', '/api/v1/namespaces/default/flags/on', { ...flag, name: 'New' })
    const revision = String(answer.headers.get('x-svc-revision')).replace('default:', '')
    const isTold = () => [early, late].every(({ events }) => events().at(-1)?.id === revision)
    while (!isTold()) await new Promise((resolve) => setTimeout(resolve, 10))
    t.pass('changes reach both')
    t.strictSame(await Promise.all([early.ended, late.ended]), [true, true], 'in good order')
    await ended
    t.match(gateway.lines.slice(-2), [{ msg: 'ending', drainMs: 3000 }, { msg: 'ended' }])
  })
})

async function ask(
  agent: Agent,
  url: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>>,
) {
  const method = body === undefined ? 'GET' : 'POST'
  const sent = request(url, { agent, headers, method }).end(body && JSON.stringify(body))
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) throw new Error('there is no answer')
  const { statusCode: status, socket } = response
  const answered = { status, connection: response.headers.connection, port: socket.localPort }
  await buffer(response)
  return answered
}
