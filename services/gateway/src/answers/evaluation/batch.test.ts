import { EventLoopScheduler } from '@svc/runtime'
import t from 'tap'
import type { Replica } from '../../replica/replica.ts'
import { prepareFlags } from '../ofrep/evaluations.ts'
import { stateOf } from '../snapshot/testing.ts'
import { prepareLegacyBatch } from './legacy.ts'
import { prepareBatch } from './prepared.ts'

const segmentOperator = 'AND_SEGMENT_OPERATOR'

/** Keys that take a mebibyte together. */
const longKeys = Array.from({ length: 4200 }, (_, i) => `${i}`.padStart(247, '-'))

/** A segment of so many constraints, of which none matches anything and each takes half a microsecond. */
function slowSegment(key: string, count: number) {
  const type = 'DATETIME_COMPARISON_TYPE'
  const one = { type, property: 'at', operator: 'lt', value: '2000-01-01T00:00:00Z' } as const
  return { key, matchType: 'ANY_MATCH_TYPE', constraints: Array(count).fill(one) } as const
}

const at = '2026-01-01T00:00:00Z'
const slowKeys = Array.from({ length: 100 }, (_, i) => `slow-${i}`)

const flag = (key: string, type: 'BOOLEAN_FLAG_TYPE' | 'VARIANT_FLAG_TYPE') => ({
  key,
  type,
  enabled: true,
})
const variantFlag = (key: string, segmentKeys: string[]) => ({
  flag: flag(key, 'VARIANT_FLAG_TYPE'),
  rules: [{ rank: 1, segmentKeys, segmentOperator } as const],
})

const state = stateOf('default', 1, {
  segments: [
    ...longKeys.map((key) => ({ key })),
    slowSegment('very-slow', 16_000),
    ...slowKeys.map((key) => slowSegment(key, 1000)),
  ],
  flags: [
    {
      flag: flag('boolean', 'BOOLEAN_FLAG_TYPE'),
      rollouts: [
        {
          type: 'SEGMENT_ROLLOUT_TYPE',
          rank: 1,
          segment: { segmentKeys: longKeys, segmentOperator, value: true },
        },
      ],
    },
    ...Array.from({ length: 17 }, (_, i) => variantFlag(`variant-${i}`, longKeys)),
    variantFlag('very-slow', ['very-slow']),
    ...slowKeys.map((key) => variantFlag(key, [key])),
  ],
})
const scheduler = new EventLoopScheduler()
const replica = {
  isLoaded: true,
  scheduler,
  namespace: () => state,
  revisionOf: () => state.revision,
} as unknown as Replica

const items = (count: number, flagKey: string) =>
  Array.from({ length: count }, () => ({ flagKey, entityId: 'e', context: { at } }))

const batch = (count: number, flagKey: string) =>
  prepareBatch({ requests: items(count, flagKey) }).evaluate(replica, 'r')
const legacyBatch = (count: number, flagKey: string) =>
  prepareLegacyBatch({ requests: items(count, flagKey) }).evaluate(replica, 'r')
const bulk = (flags: readonly string[] | undefined) =>
  prepareFlags(
    {},
    { context: { targetingKey: 'e', at, ...(flags && { flags: flags.join() }) } },
    { scheduler, withDisabled: false },
  ).evaluate(replica, undefined)

const refused = (field: string, rule: RegExp) => ({
  code: 'invalid_argument',
  message: new RegExp(`^invalid field ${field}: ${rule.source}, ask for fewer at once$`),
})
const tooLarge = /have more than 16 MiB of attachments and keys of segments/

t.test('keys of segments count like attachments', async (t) => {
  t.ok(batch(15, 'boolean').length > 15 * 2 ** 20)
  t.ok(legacyBatch(15, 'variant-0').length > 15 * 2 ** 20)
  t.throws(() => batch(17, 'boolean'), refused('requests', tooLarge))
  t.throws(() => batch(17, 'variant-0'), refused('requests', tooLarge))
  t.throws(() => legacyBatch(17, 'variant-0'), refused('requests', tooLarge))
  const flags = Array.from({ length: 17 }, (_, i) => `variant-${i}`)
  t.ok(String((await bulk(flags.slice(2))).text).length > 15_000_000)
  await t.rejects(async () => bulk(flags), refused('flags', tooLarge))
  await t.rejects(async () => bulk(undefined), refused('flags', tooLarge))
})

t.test('a batch that takes too long ends', async (t) => {
  for (const evaluate of [batch, legacyBatch]) {
    const startedAt = performance.now()
    t.throws(() => evaluate(1000, 'very-slow'), refused('requests', /take too long together/))
    const ms = performance.now() - startedAt
    t.ok(ms < 2000, `${ms} ms`)
  }
})

t.test('a bulk answer that takes long leaves the event loop to others', async (t) => {
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  const { text } = await bulk(slowKeys)
  clearInterval(timer)
  const { flags } = JSON.parse(String(text)) as { flags: { key: string }[] }
  t.strictSame(
    flags.map(({ key }) => key),
    slowKeys,
  )
  t.ok(turns > 10, `${turns} turns`)
})
