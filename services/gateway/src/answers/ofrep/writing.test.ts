import { FlagSet, toEntity } from '@svc/evaluation'
import t from 'tap'
import { type WritingOptions, writeFlag, writeMissing } from './writing.ts'

const flags = new FlagSet()
const common = { enabled: true, variants: [], rules: [], rollouts: [] }
const attachment = '{"text":"\\"\\u0001 ü"}'
const variants = [{ id: '1', key: 'blue', attachment }]
const all = {
  rank: 1,
  segmentKey: '',
  segmentKeys: ['one', 'two'],
  segmentOperator: 'AND_SEGMENT_OPERATOR',
  distributions: [{ variantId: '1', rollout: 100 }],
}
flags.apply({
  flags: [
    { ...common, key: 'on', type: 'BOOLEAN_FLAG_TYPE' },
    {
      ...common,
      key: 'threshold',
      type: 'BOOLEAN_FLAG_TYPE',
      rollouts: [{ rank: 1, threshold: { percentage: 100, value: false } }],
    },
    { ...common, key: 'color', type: 'VARIANT_FLAG_TYPE', variants, rules: [all] },
    { ...common, key: 'preset', type: 'VARIANT_FLAG_TYPE', variants, defaultVariant: { id: '1' } },
    { ...common, key: 'nothing', type: 'VARIANT_FLAG_TYPE' },
    { ...common, key: 'off', type: 'VARIANT_FLAG_TYPE', enabled: false },
    ...['{"a":[1]}', '[]', '"text"', '1.50', 'true', 'null', ''].map((attachment, i) => ({
      ...common,
      key: `value-${i}`,
      type: 'VARIANT_FLAG_TYPE' as const,
      variants: [
        { id: '1', key: 'v', attachment },
        { id: '2', key: 'other', attachment: '{}' },
      ],
      defaultVariant: { id: '1' },
    })),
    {
      ...common,
      key: 'plain',
      type: 'VARIANT_FLAG_TYPE',
      variants: [{ id: '1', key: 'v', attachment: '' }],
      defaultVariant: { id: '1' },
    },
  ],
  segments: ['one', 'two'].map((key) => ({ key, matchType: 'ALL_MATCH_TYPE', constraints: [] })),
  deletedFlagKeys: [],
  deletedSegmentKeys: [],
})

const namespaceKey = 'default'
const textOf = (key: string, options?: Partial<WritingOptions>) => {
  const flag = flags.get(key)
  return flag === undefined
    ? ''
    : writeFlag(flag, toEntity('alice', {}), { namespaceKey, ...options })
}
const write = (key: string, options?: Partial<WritingOptions>) => JSON.parse(textOf(key, options))

t.test('a boolean flag has its value twice, and nothing to say about it', async (t) => {
  t.strictSame(write('on'), {
    key: 'on',
    reason: 'DEFAULT',
    variant: 'true',
    value: true,
    metadata: {},
  })
  t.match(write('threshold'), { reason: 'TARGETING_MATCH', variant: 'false', value: false })
})

t.test('a variant flag has the key of its variant, and what comes with it', async (t) => {
  t.strictSame(write('color'), {
    key: 'color',
    reason: 'TARGETING_MATCH',
    variant: 'blue',
    value: 'blue',
    metadata: { segments: 'one,two', attachment },
  })
  t.strictSame(write('preset'), {
    key: 'preset',
    reason: 'DEFAULT',
    variant: 'blue',
    value: 'blue',
    metadata: { attachment },
  })
})

t.test('where nothing is served the variant is empty, and there is no value', async (t) => {
  const nothing = { variant: '', metadata: {} }
  t.strictSame(write('nothing'), { key: 'nothing', reason: 'UNKNOWN', ...nothing })
  t.strictSame(write('off'), { key: 'off', reason: 'DISABLED', ...nothing })
})

t.test(
  'the value of a variant flag is its attachment, as it is, where that is asked for',
  async (t) => {
    const read = (key: string) => write(key, { asAttachment: true })
    const metadata = (attachment: string) => ({ metadata: { attachment } })
    const answer = { reason: 'DEFAULT', variant: 'v' }
    const values = [{ a: [1] }, [], 'text', 1.5, true]
    for (const [i, value] of values.entries()) t.match(read(`value-${i}`), { ...answer, value })
    t.match(read('value-0'), metadata('{"a":[1]}'), 'which stays in the metadata')
    t.match(textOf('value-3', { asAttachment: true }), '"value":1.50,', 'spelled as it was written')

    await t.test('and left out where there is none, though other variants have one', async (t) => {
      t.strictSame(read('value-5'), { key: 'value-5', ...answer, ...metadata('null') })
      t.strictSame(read('value-6'), { key: 'value-6', ...answer, metadata: {} })
    })

    await t.test('but the key of the variant in a flag without attachments', async (t) => {
      t.match(read('plain'), { ...answer, value: 'v' })
    })

    await t.test('and nothing changes where there is no variant to have one', async (t) => {
      for (const key of ['on', 'nothing', 'off']) t.strictSame(read(key), write(key))
    })
  },
)

t.test('attachments and keys of segments are counted, as often as they are there', async (t) => {
  const counted: unknown[] = []
  const count = (...texts: unknown[]) => counted.push(texts)
  for (const key of ['on', 'color', 'nothing']) write(key, { count })
  const color = [['one', 'two'], attachment]
  t.strictSame(counted.splice(0), [color, [[], '']])
  write('color', { count, asAttachment: true })
  t.strictSame(counted, [color, [[], attachment]])
})

t.test('a flag that is not there is named, whatever its name', async (t) => {
  t.strictSame(JSON.parse(writeMissing('a"\n')), {
    key: 'a"\n',
    errorCode: 'FLAG_NOT_FOUND',
    errorDetails: 'flag was not found a"\n',
  })
})
