import { encodeResponse } from '@svc/contract'
import { bound } from '@svc/contract/testing'
import { pino } from 'pino'
import t from 'tap'
import { parseJsonObject } from '../../http/json.ts'
import { MessageThread } from './message-thread.ts'
import { encodeRequest } from './messages.ts'

t.test('a thread for long messages', async (t) => {
  const thread = new MessageThread(pino({ level: 'silent' }))
  // As a server does: a thread does not keep its process.
  const server = setInterval(() => {}, 1000)
  t.teardown(() => {
    clearInterval(server)
    return thread.close()
  })
  const apply = bound('Apply')
  const url = { params: { namespaceKey: 'prod' }, query: {} }
  const operations = Array.from({ length: 1000 }, (_, n) => ({
    ...{ kind: 'FLAG_KIND', key: `f-${n}` },
    flag: { name: `F ${n}`, metadata: { n }, rollouts: [{ threshold: { percentage: n / 8 } }] },
  }))
  const read = (body: object, of = apply) =>
    thread.encodeRequest(of, url, Buffer.from(JSON.stringify(body)))

  await t.test('reads requests to what they are elsewhere', async (t) => {
    const flag = { ...url, params: { namespaceKey: 'prod', key: 'a' } }
    const body = Buffer.from('{"name":"A","typ":1}')
    const update = bound('UpdateFlag')
    const read = await thread.encodeRequest(update, flag, body)
    t.match(read, { namespaceKeys: ['prod'], flagKeys: ['a'], ignored: 'typ' })
    t.strictSame({ ...read, bytes: Buffer.from(read.bytes) }, asHere(update, flag, body))
    const long = Buffer.from(JSON.stringify({ operations }))
    const { bytes } = await thread.encodeRequest(apply, url, long)
    t.ok(asHere(apply, url, long).bytes.equals(bytes))
  })

  await t.test('refuses in the same words', async (t) => {
    await t.rejects(read({ operations: [...operations, { key: 7 }] }), {
      code: 'invalid_argument',
      message: 'invalid values for key(s) in json body: operations[1000].key must be a string',
    })
    await t.rejects(thread.encodeRequest(apply, url, Buffer.from('{"a":')), {
      message: 'the json body ends early',
    })
  })

  await t.test('writes answers as they are written elsewhere', async (t) => {
    const { operation } = bound('ListFlags')
    for (const isPretty of [false, true]) {
      const text = await thread.encodeAnswer(operation, new Uint8Array(), isPretty)
      t.equal(String(text), String(encodeResponse(operation.output, new Uint8Array(), isPretty)))
    }
  })

  await t.test('leaves to the event loop what it has no time for', async (t) => {
    const all = Array.from({ length: 20 }, () => read({ operations }))
    for (const { bytes } of await Promise.all(all))
      t.equal(bytes.length, (await all[0])?.bytes.length)
  })
})

/** An answer of more than 1 MiB, and what it is as JSON. */
function longAnswer(name: string) {
  const { operation } = bound(name)
  // A field that is not known takes no time to write: number 15, of 2 MiB.
  const size = 2 ** 21
  const bytes = Buffer.concat([Buffer.of(0x7a, 0x80, 0x80, 0x80, 0x01), Buffer.alloc(size)])
  return { operation, bytes, text: String(encodeResponse(operation.output, bytes)) }
}

t.test('of many long answers to reads those that have to wait are refused', async (t) => {
  const thread = new MessageThread(pino({ level: 'silent' }))
  const server = setInterval(() => {}, 1000)
  t.teardown(() => {
    clearInterval(server)
    return thread.close()
  })
  const encode = ({ operation, bytes }: ReturnType<typeof longAnswer>) =>
    Promise.allSettled(
      Array.from({ length: 20 }, () => thread.encodeAnswer(operation, bytes, false)),
    )
  const read = longAnswer('ListFlags')
  t.equal(String(await thread.encodeAnswer(read.operation, read.bytes, false)), read.text)
  const reads = await encode(read)
  const [good, bad] = ['fulfilled', 'rejected'].map((one) =>
    reads.filter(({ status }) => status === one),
  )
  t.equal(good?.length, 5, 'one in the thread, and four that wait')
  for (const one of bad ?? [])
    t.match(one, { reason: { code: 'unavailable', reason: 'overloaded' } })
  const write = longAnswer('Apply')
  for (const one of await encode(write)) {
    t.equal(one.status === 'fulfilled' && String(one.value), write.text, 'a write never is')
  }
  const last = thread.encodeAnswer(read.operation, read.bytes, false)
  const [failed] = await Promise.allSettled([last, thread.close()])
  t.match(failed, { status: 'rejected', reason: { code: 'unavailable' } })
})

t.test('a thread that ends leaves what it had to the event loop', async (t) => {
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => warnings.push(line) })
  const thread = new MessageThread(log)
  const server = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(server))
  const { operation } = bound('ListFlags')
  const encode = () => thread.encodeAnswer(operation, new Uint8Array(), false)
  const expected = String(encodeResponse(operation.output, new Uint8Array()))
  await encode()
  const [under] = await Promise.all([encode(), thread.close()])
  t.equal(String(under), expected)
  t.equal(String(await encode()), expected, 'and so does one that is gone')
  t.match(warnings, [/the thread for long messages has failed/])
})

function asHere(...[bound, url, body]: Parameters<MessageThread['encodeRequest']>) {
  const request = encodeRequest(bound, url, parseJsonObject(body))
  return { ...request, bytes: Buffer.from(request.bytes) }
}
