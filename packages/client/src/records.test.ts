import t from 'tap'
import { FlagLine, RecordsError, RecordsReader } from './records.ts'

const flag = {
  key: 'color',
  type: 'VARIANT_FLAG_TYPE',
  enabled: true,
  created: 1_769_860_800_123_456,
  defaultVariantId: 'v1',
  variants: [{ id: 'v1', key: 'blue', attachment: '{"a":"\\n"}' }],
  rules: [
    {
      rank: 1,
      segmentKeys: ['germany', 'pro'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
      distributions: [{ variantId: 'v1', rollout: 33.3 }],
    },
  ],
  rollouts: [],
}
const toggle = {
  key: 'toggle',
  type: 'BOOLEAN_FLAG_TYPE',
  enabled: false,
  created: 1,
  defaultVariantId: '',
  variants: [],
  rules: [],
  rollouts: [
    { rank: 1, threshold: { percentage: 0.1, value: true } },
    {
      rank: 2,
      segment: { segmentKeys: ['pro'], segmentOperator: 'OR_SEGMENT_OPERATOR', value: true },
    },
  ],
}
const constraint = {
  type: 'STRING_COMPARISON_TYPE',
  property: 'plan',
  operator: 'eq',
  value: 'pro],"flags":[\n',
}
const segment = { key: 'pro', matchType: 'ANY_MATCH_TYPE', constraints: [constraint] }

interface Content {
  readonly revision?: number
  readonly fromRevision?: number
  readonly [list: string]: unknown
}

/** The text of records as the gateway writes it. */
function textOf({ revision = 43, fromRevision = 42, ...lists }: Content): string {
  const texts = Object.entries(lists).map(([name, items]) => {
    const lines = (items as unknown[]).map((item) => JSON.stringify(item)).join(',\n')
    return `"${name}":[\n${lines === '' ? '' : `${lines}\n`}]`
  })
  return `{"revision":${revision},"fromRevision":${fromRevision},${texts.join(',')}}`
}

function read(text: string, reader = new RecordsReader()) {
  const changes = text.split('\n').map((line) => reader.push(line))
  const last = changes.pop()
  if (last === undefined || changes.some(Boolean)) throw new Error('the last line ends the text')
  return last
}

const all = {
  segments: [segment, { ...segment, key: 'germany' }],
  flags: [flag, toggle],
  deletedSegmentKeys: ['old'],
  deletedFlagKeys: ['a', 'b'],
}

t.test('the text of records is read by lines', async (t) => {
  await t.test('with all that there is in it', async (t) => {
    const text = textOf(all)
    t.strictSame(JSON.parse(text), { revision: 43, fromRevision: 42, ...all }, 'it is JSON')
    const { flags, segments, ...rest } = read(text)
    t.strictSame(rest, {
      revision: 43,
      fromRevision: 42,
      deletedFlagKeys: ['a', 'b'],
      deletedSegmentKeys: ['old'],
    })
    t.strictSame(
      flags.map(({ key, text }) => [key, JSON.parse(text)]),
      [
        ['color', flag],
        ['toggle', toggle],
      ],
    )
    t.strictSame(
      segments.map((line) => [line.key, line.toRecord()]),
      all.segments.map((record) => [record.key, record]),
    )
  })

  await t.test('with nothing in it, and one after another', async (t) => {
    const reader = new RecordsReader()
    const none = { flags: [], segments: [], deletedFlagKeys: [], deletedSegmentKeys: [] }
    t.strictSame(read(textOf({ ...none, fromRevision: 0 }), reader), {
      revision: 43,
      fromRevision: 0,
      ...none,
    })
    t.equal(read(textOf(all), reader).flags.length, 2)
  })

  await t.test('with lists and members of a later version', async (t) => {
    const text = textOf({ leftOutFlagKeys: ['x'], ...all, later: [{ key: 'y' }] })
    const more = text.replace('"flags":[', '"more":{"a":1},"flags":[').replace(/\}$/, ',"end":1}')
    t.ok(JSON.parse(more))
    const { flags, deletedFlagKeys } = read(more)
    t.strictSame([flags.length, deletedFlagKeys], [2, ['a', 'b']])
  })

  await t.test('and refused when it is something else', async (t) => {
    const whole = textOf(all)
    const broken = [
      '',
      'null',
      '{"code":16}',
      '{"revision":1,"segments":[',
      '{"revision":-1,"fromRevision":0,"segments":[',
      '{"revision":1.5,"fromRevision":0,"segments":[',
      '{"revision":"1","fromRevision":0,"segments":[',
      whole.replace('{"key":"color"', '{"name":"color"'),
      whole.replace('"a",', 'a,'),
      whole.replace('],"flags":[', '],"flags:['),
      whole.replace(/\]\}$/, ']'),
      whole.replace(/\]\}$/, ']}}'),
    ]
    for (const text of broken) {
      const reader = new RecordsReader()
      t.throws(() => read(text, reader), RecordsError, text)
      t.equal(read(whole, reader).revision, 43, 'and the next one is read')
    }
  })

  await t.test('up to where it ends, and forgotten when it does not', async (t) => {
    const reader = new RecordsReader()
    for (const line of textOf(all).split('\n').slice(0, 4)) {
      t.equal(reader.push(line), undefined)
    }
    reader.reset()
    t.equal(read(textOf(all), reader).flags.length, 2)
  })
})

t.test('a flag is a record of the engine', async (t) => {
  t.strictSame(new FlagLine(JSON.stringify(flag)).toRecord(), {
    key: 'color',
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    variants: flag.variants,
    createdAt: { seconds: 1_769_860_800, nanos: 123_456_000 },
    defaultVariant: { id: 'v1' },
    rules: [
      {
        segmentKey: '',
        segmentKeys: ['germany', 'pro'],
        segmentOperator: 'AND_SEGMENT_OPERATOR',
        rank: 1,
        distributions: [{ variantId: 'v1', rollout: Math.fround(33.3) }],
      },
    ],
    rollouts: [],
  })
  const { createdAt, defaultVariant, rollouts } = new FlagLine(JSON.stringify(toggle)).toRecord()
  t.strictSame([createdAt, defaultVariant], [{ seconds: 0, nanos: 1000 }, undefined])
  t.strictSame(rollouts, [
    { rank: 1, segment: undefined, threshold: { percentage: Math.fround(0.1), value: true } },
    {
      rank: 2,
      segment: {
        segmentKey: '',
        segmentKeys: ['pro'],
        segmentOperator: 'OR_SEGMENT_OPERATOR',
        value: true,
      },
      threshold: undefined,
    },
  ])
})

t.test('a line that is no flag is refused when it is read', async (t) => {
  const line = new FlagLine('{"key":"a\\"b","rules":')
  t.equal(line.key, 'a"b')
  t.throws(() => line.toRecord(), RecordsError)
  for (const text of ['"key":"a"', '{"name":"a"}', '{"key":1}', 'null', '[]']) {
    t.throws(() => new FlagLine(text), RecordsError, text)
  }
  t.equal(new FlagLine('{"type":"x","key":"a"}').key, 'a')
})
