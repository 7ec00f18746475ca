import { Authentication } from '@svc/proto/auth/v1/authentications'
import { EvaluateBatchResponse } from '@svc/proto/evaluation/v1/evaluation'
import { Flag, FlagList } from '@svc/proto/resource/v1/flags'
import { Rollout, RolloutList } from '@svc/proto/resource/v1/rollouts'
import { Rule } from '@svc/proto/resource/v1/rules'
import fc from 'fast-check'
import t from 'tap'
import { encodeResponse } from './encode.ts'
import { shortestFloat } from './float.ts'
import { bound } from './testing.ts'

/** The text of what a service behind the gateway answers. */
function encode<T>(
  type: { fromPartial(message: never): T; encode(message: T): { finish(): Uint8Array } },
  operation: string,
  message: object,
  pretty = false,
): string {
  const bytes = type.encode(type.fromPartial(message as never)).finish()
  return encodeResponse(bound(operation).operation.output, bytes, pretty).toString()
}

t.test('an answer', async (t) => {
  await t.test('has every field by its name, zero values included, in order', async (t) => {
    t.equal(
      encode(Flag, 'GetFlag', { key: 'a' }),
      '{"key":"a","name":"","description":"","enabled":false,"variants":[],"namespaceKey":"",' +
        '"type":"VARIANT_FLAG_TYPE"}',
    )
    t.equal(encode(FlagList, 'ListFlags', {}), '{"flags":[],"nextPageToken":"","totalCount":0}')
    t.equal(
      encode(Rule, 'GetRule', {}),
      '{"id":"","flagKey":"","segmentKey":"","distributions":[],"rank":0,"namespaceKey":"",' +
        '"segmentKeys":[],"segmentOperator":"OR_SEGMENT_OPERATOR"}',
    )
  })

  await t.test(
    'leaves out objects, timestamps and members of one-ofs that are unset',
    async (t) => {
      const authentication = JSON.parse(
        encode(Authentication, 'GetSelf', { method: 'METHOD_TOKEN' }),
      )
      const given = { id: '', method: 'METHOD_TOKEN', metadata: {}, allowedAddresses: [] }
      t.strictSame(authentication, given)
      const batch = encode(EvaluateBatchResponse, 'EvaluateBatch', {
        responses: [{ errorResponse: { flagKey: 'a' } }],
      })
      t.strictSame(JSON.parse(batch).responses, [
        {
          type: 'VARIANT_EVALUATION_RESPONSE_TYPE',
          errorResponse: {
            flagKey: 'a',
            namespaceKey: '',
            reason: 'UNKNOWN_ERROR_EVALUATION_REASON',
          },
        },
      ])
    },
  )

  await t.test('has objects that are set, even when they are empty', async (t) => {
    const flag = JSON.parse(encode(Flag, 'GetFlag', { metadata: {}, defaultVariant: {} }))
    t.strictSame(flag.metadata, {})
    t.equal(flag.defaultVariant.id, '')
    const rollout = JSON.parse(encode(Rollout, 'GetRollout', { threshold: {} }))
    t.strictSame(rollout.threshold, { percentage: 0, value: false })
    t.notOk('segment' in rollout)
  })

  await t.test('has metadata as it was stored', async (t) => {
    const metadata = { a: [1, null, { b: 'c' }], n: 0.1, e: {}, t: true, s: '' }
    t.strictSame(JSON.parse(encode(Flag, 'GetFlag', { metadata })).metadata, metadata)
  })

  await t.test('has timestamps in UTC with as many digits as they need, in threes', async (t) => {
    const table: [nanos: number, digits: string][] = [
      [0, ''],
      [500_000_000, '.500'],
      [123_456_000, '.123456'],
      [120_000, '.000120'],
      [1, '.000000001'],
    ]
    for (const [nanos, digits] of table) {
      const { createdAt } = JSON.parse(
        encode(Flag, 'GetFlag', { createdAt: { seconds: 1714557600, nanos } }),
      )
      t.equal(createdAt, `2024-05-01T10:00:00${digits}Z`)
    }
  })

  await t.test('has 32-bit floats as they were sent, however deep', async (t) => {
    const rule = JSON.parse(
      encode(Rule, 'GetRule', { distributions: [{ rollout: 33.33 }, { rollout: 0.1 }] }),
    )
    t.strictSame(
      rule.distributions.map(({ rollout }: { rollout: number }) => rollout),
      [33.33, 0.1],
    )
    const list = encode(RolloutList, 'ListRollouts', {
      rules: [{ threshold: { percentage: 12.345 } }],
    })
    t.equal(JSON.parse(list).rules[0].threshold.percentage, 12.345)
  })

  await t.test('is {} where there is nothing to say', async (t) => {
    t.equal(encodeResponse(bound('DeleteFlag').operation.output, new Uint8Array()).toString(), '{}')
  })

  await t.test('is only indented when that is wanted', async (t) => {
    t.equal(
      encode(FlagList, 'ListFlags', {}, true),
      '{\n  "flags": [],\n  "nextPageToken": "",\n  "totalCount": 0\n}',
    )
  })
})

t.test('the shortest decimal of a 32-bit float', async (t) => {
  await t.test('is what was written', async (t) => {
    const written = [
      0, 1, 100, -1, 0.5, 0.1, 33.33, 33.34, 66.67, 12.345, 0.05, 99.99999, 1e-7, 16777216, 3e38,
      1.1754944e-38, 1e-45, 0.3, 4194304.5, 123456.78,
    ]
    for (const value of written) t.equal(shortestFloat(Math.fround(value)), value)
  })

  await t.test('comes back as the same float, and as short as two decimals', async (t) => {
    const any = fc.float({ noNaN: true, noDefaultInfinity: true })
    const same = fc.property(any, (value) => Object.is(Math.fround(shortestFloat(value)), value))
    t.doesNotThrow(() => fc.assert(same, { numRuns: 1000 }))
    const percentages = Array.from({ length: 10_001 }, (_, hundredths) => hundredths / 100)
    const longer = percentages.filter((value) => shortestFloat(Math.fround(value)) !== value)
    t.strictSame(longer, [])
  })
})
