import { FlagSet, toEntity } from '@svc/evaluation'
import t from 'tap'
import { writeFlag, writeMissing } from './writing.ts'

const flags = new FlagSet()
const common = { enabled: true, variants: [], rules: [], rollouts: [] }
const attachment = '{"text":"\\"\\u0001 ü"}'
const variants = [{ id: '1', key: 'blue', attachment }]
const everyone = {
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
    { ...common, key: 'color', type: 'VARIANT_FLAG_TYPE', variants, rules: [everyone] },
    { ...common, key: 'preset', type: 'VARIANT_FLAG_TYPE', variants, defaultVariant: { id: '1' } },
    { ...common, key: 'nothing', type: 'VARIANT_FLAG_TYPE' },
    { ...common, key: 'off', type: 'VARIANT_FLAG_TYPE', enabled: false },
  ],
  segments: ['one', 'two'].map((key) => ({ key, matchType: 'ALL_MATCH_TYPE', constraints: [] })),
  deletedFlagKeys: [],
  deletedSegmentKeys: [],
})

const write = (key: string, count?: (attachment: string) => void) => {
  const flag = flags.get(key)
  return flag === undefined ? undefined : JSON.parse(writeFlag(flag, toEntity('alice', {}), count))
}

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

t.test('attachments are counted', async (t) => {
  const counted: string[] = []
  for (const key of ['on', 'color', 'nothing']) write(key, (text) => counted.push(text))
  t.strictSame(counted, [attachment, ''])
})

t.test('a flag that is not there is named, whatever its name', async (t) => {
  t.strictSame(JSON.parse(writeMissing('a"\n')), {
    key: 'a"\n',
    errorCode: 'FLAG_NOT_FOUND',
    errorDetails: 'flag was not found a"\n',
  })
})
