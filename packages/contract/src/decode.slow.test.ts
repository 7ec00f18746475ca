import { readFile } from 'node:fs/promises'
import { toBinary } from '@bufbuild/protobuf'
import { AppError } from '@svc/runtime'
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import { decodeRequest, type UrlValues } from './decode.ts'
import { encodeResponse } from './encode.ts'
import { codecOf } from './messages.test.support.ts'
import { bound, contract } from './testing.ts'

interface Sent extends Partial<UrlValues> {
  readonly body?: object
}

/** Cases by two names: of the operation, and of a claim or message. */
type Cases<Case> = Readonly<Record<string, Readonly<Record<string, readonly Case[]>>>>
type Seen = readonly [sent: object, seen: object]

const readFixture = async (name: string) =>
  parse(await readFile(new URL(`../../../test/fixtures/${name}`, import.meta.url), 'utf8'))

/** @param name of an operation, and which of its URLs */
function decode(name: string, { params = {}, query = {}, body = {} }: Sent) {
  const [operation = '', position] = name.split(' ')
  const route = bound(operation, Number(position ?? 0))
  const message = decodeRequest(route, { params, query }, { ...body })
  const codec = codecOf(route.operation.input)
  return { codec, seen: codec.decode(toBinary(route.operation.input, message)) }
}

t.test('a request', async (t) => {
  const {
    bodies,
    urls,
  }: Record<'bodies' | 'urls', Cases<Seen>> = await readFixture('accepted-requests.yml')
  for (const [claim, byOperation] of [...Object.entries(bodies), ...Object.entries(urls)]) {
    await t.test(claim, async (t) => {
      for (const [operation, cases] of Object.entries(byOperation)) {
        for (const [sent, expected] of cases) {
          const { codec, seen } = decode(operation, claim in bodies ? { body: sent } : sent)
          const bytes = codec.encode(codec.fromPartial(expected)).finish()
          t.strictSame(seen, codec.decode(bytes), JSON.stringify(sent))
        }
      }
    })
  }
})

t.test('is refused for values that do not fit', async (t) => {
  const { bodies, others, queries, urls } = await readFixture('refused-requests.yml')
  const check = <Case>(cases: Cases<Case>, toSent: (one: Case) => Sent, before = '') => {
    for (const [operation, byMessage] of Object.entries(cases)) {
      for (const [rule, list] of Object.entries(byMessage)) {
        const refused = { code: 'invalid_argument', message: before + rule }
        for (const one of list) {
          t.throws(() => decode(operation, toSent(one)), refused, JSON.stringify(one))
        }
      }
    }
  }
  check<object>(bodies, (body) => ({ body }), 'invalid values for key(s) in json body: ')
  check<object>(others, (body) => ({ body }))
  check<UrlValues['query']>(queries, (query) => ({ query }))
  check<Sent>(urls, (sent) => sent)
})

t.test('is refused for a long text, of which 64 characters are shown', async (t) => {
  t.throws(() => decode('CreateFlag', { body: { type: 'X'.repeat(1000) } }), {
    message: /^unknown value "\\"X{64}\\"" for enum /,
  })
  t.throws(() => decode('ListFlags', { query: { limit: '9'.repeat(400) } }), {
    message: `parsing field "limit": "${'9'.repeat(64)}" is not an integer`,
  })
})

t.test('the key of a namespace in a path has 255 characters at most', async (t) => {
  const update = (namespaceKey: string) =>
    decode('UpdateFlag', { params: { namespaceKey, key: 'a' } })
  t.match(update('a'.repeat(255)).seen, { key: 'a' })
  const message = 'invalid field namespaceKey: must be at most 255 characters'
  t.throws(() => update('a'.repeat(256)), { message })
})

t.test('whatever is sent becomes a message or a refusal', async (t) => {
  // Only what is outermost has the names of fields: deeper values would be refused as these are.
  const value = fc.jsonValue({ maxDepth: 2 })
  const texts = fc.oneof(fc.string(), fc.array(fc.string()))
  for (const operation of contract.operations) {
    const [binding] = operation.bindings
    if (binding === undefined) continue
    const names = operation.input.fields.flatMap(({ name, jsonName }) => [name, jsonName])
    const body = fc.dictionary(fc.constantFrom('other', ...names), value)
    const query = fc.dictionary(fc.constantFrom('other', ...names), texts)
    const property = fc.property(body, query, (body, query) => {
      try {
        const sent = JSON.parse(JSON.stringify(body))
        const message = decodeRequest({ operation, binding }, { params: {}, query }, sent)
        encodeResponse(operation.input, toBinary(operation.input, message))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
      }
    })
    t.doesNotThrow(() => fc.assert(property, { numRuns: 100 }), operation.name)
  }
})
