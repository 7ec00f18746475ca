import {
  evaluateBoolean,
  evaluateVariant,
  type FlagRecord,
  FlagSet,
  toEntity,
} from '@svc/evaluation'
import { explain } from '@svc/evaluation/explain'
import { type RandomCase, randomCases } from '@svc/evaluation/testing'
import { FlagState } from '@svc/proto/resource/v1/watch'
import t from 'tap'
import { EncodedFlag } from './flag-text.ts'

const createdAt = { seconds: 1_800_000_000, nanos: 123_456_000 }

function encode({ rules, rollouts, ...flag }: FlagRecord): EncodedFlag {
  const state = FlagState.fromPartial({ flag: { ...flag, createdAt }, rules, rollouts } as object)
  return new EncodedFlag(Buffer.from(FlagState.encode(state).finish()))
}

const explainCase = (flag: FlagRecord, { segments, entityId, context }: RandomCase) => {
  const byKey = new Map(segments.map((segment) => [segment.key, segment]))
  const place = { namespaceKey: 'n', revision: 1 }
  return JSON.stringify(explain({ ...place, flag, segments: byKey, entityId, context }))
}

const evaluateCase = (flag: FlagRecord, { segments, entityId, context }: RandomCase) => {
  const set = new FlagSet()
  set.apply({ flags: [flag], segments, deletedFlagKeys: [], deletedSegmentKeys: [] })
  const compiled = set.get(flag.key)
  const entity = toEntity(entityId, context)
  if (compiled === undefined) return undefined
  return compiled.type === 'BOOLEAN_FLAG_TYPE'
    ? evaluateBoolean(compiled, entity)
    : evaluateVariant(compiled, entity)
}

t.test('a flag whose text was made evaluates and explains as before', async (t) => {
  const changed = randomCases(2000, 20_261_124).filter((one) => {
    const flag = encode(one.flag)
    const before = flag.toRecord()
    const { recordText } = encode(one.flag)
    const { text } = flag
    const after = flag.toRecord()
    return (
      text === '' ||
      flag.recordText !== recordText ||
      after === before ||
      explainCase(before, one) !== explainCase(after, one) ||
      JSON.stringify(evaluateCase(before, one)) !== JSON.stringify(evaluateCase(after, one))
    )
  })
  t.strictSame(changed.slice(0, 2), [])
})

t.test('a text keeps what is not ASCII, and the time to a nanosecond', async (t) => {
  const attachment = JSON.stringify({ color: 'größe "\\\n🙂' })
  const record: FlagRecord = {
    key: 'theme',
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    variants: [{ id: 'id-ü', key: 'blü', attachment }],
    defaultVariant: { id: 'id-ü' },
    rules: [],
    rollouts: [],
  }
  const flag = encode(record)
  t.match(flag.text, 'theme')
  t.match(flag.toRecord(), { ...record, createdAt })
})
