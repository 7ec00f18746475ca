import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { EventLoopScheduler, Limiter, unavailable } from '@svc/runtime'
import t from 'tap'
import { openEdge } from '../../http/edge.ts'
import type { Replica } from '../../replica/replica.ts'
import { currentForm } from '../snapshot/form.ts'
import { booleanState, segmentFor, stateOf } from '../snapshot/testing.ts'
import { sendWhole } from './send-whole.ts'
import { Wholes } from './wholes.ts'

/** More than the kernel takes for a client that does not read. */
const flagCount = 16
const segmentBytes = 2 ** 20

t.test('a large snapshot over HTTP', async (t) => {
  const state = stateOf('large', 3, {
    segments: [segmentFor('pro', 'x'.repeat(segmentBytes))],
    flags: Array.from({ length: flagCount }, (_, i) => booleanState(`f-${i}`, i)),
  })
  const scheduler = new EventLoopScheduler()
  const replica = { namespace: () => state, scheduler } as unknown as Replica
  const refuse = () => unavailable('too many')
  const limiter = new Limiter({ maxRunning: 1, maxWaiting: 0, refuse })
  const parts = { replica, limiter, wholes: new Wholes(scheduler) }
  const app = openEdge()
  t.teardown(() => app.close())
  app.get('/', async (_request, reply) => sendWhole(parts, reply, 'large', currentForm))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const ask = (headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers, method, agent: false }, resolve).on('error', reject)
    })
  const bodyOf = async (response: IncomingMessage) => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const length = async () => Number((await ask({}, 'HEAD')).headers['content-length'])

  await t.test('has its length before it is made', async (t) => {
    const response = await ask()
    const body = await bodyOf(response)
    t.ok(body.length > flagCount * segmentBytes)
    t.equal(response.headers['content-length'], String(body.length))
    t.equal(response.headers['content-type'], 'application/json')
    t.equal(response.headers['x-svc-revision'], 'large:3')
    t.equal((JSON.parse(body.toString()) as { flags: unknown[] }).flags.length, flagCount)
    t.equal(await length(), body.length, 'also for HEAD')
  })

  await t.test('is compressed while it is sent', async (t) => {
    const response = await ask({ 'accept-encoding': 'gzip' })
    const body = await bodyOf(response)
    t.equal(response.headers['content-encoding'], 'gzip')
    t.ok(body.length * 10 < (await length()))
    t.ok(gunzipSync(body).equals(await bodyOf(await ask())))
  })

  await t.test('is refused when too many are being sent, until a client leaves', async (t) => {
    const stalled = await ask()
    stalled.pause()
    const refused = await ask()
    t.equal(refused.statusCode, 503)
    t.equal(refused.headers.etag, undefined)
    t.equal(refused.headers['content-encoding'], undefined)
    await bodyOf(refused)
    stalled.destroy()
    await once(stalled, 'close')
    for (;;) {
      const next = await ask()
      const { length } = await bodyOf(next)
      if (next.statusCode !== 200) continue
      t.ok(length > flagCount * segmentBytes)
      break
    }
  })
})
