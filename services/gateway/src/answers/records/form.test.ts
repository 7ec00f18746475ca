import { readFileSync } from 'node:fs'
import { EventLoopScheduler } from '@svc/runtime'
import t from 'tap'
import { flagTextOf, type NamespaceState } from '../../replica/namespace-state.ts'
import { toCopyText, toFrame, wholeOf } from '../copies/copy-text.ts'
import { Wholes } from '../copies/wholes.ts'
import { applyTo, booleanState, manyFlags, segmentFor, stateOf } from '../snapshot/testing.ts'
import { recordsForm } from './form.ts'

const example: { change: Parameters<typeof stateOf>[2] } = JSON.parse(
  readFileSync(new URL('../../../../../test/fixtures/snapshot.json', import.meta.url), 'utf8'),
)

/** A bit of everything that records can show. */
const expected = `{"revision":7,"fromRevision":0,"deletedSegmentKeys":[
],"segments":[
{"key":"all","matchType":"ALL_MATCH_TYPE","constraints":[]},
{"key":"eu","matchType":"ALL_MATCH_TYPE","constraints":[{"type":"STRING_COMPARISON_TYPE","property":"country","operator":"isoneof","value":"[\\"NO\\",\\"DE\\"]"},{"type":"DATETIME_COMPARISON_TYPE","property":"since","operator":"present","value":""}]},
{"key":"staff","matchType":"ANY_MATCH_TYPE","constraints":[{"type":"ENTITY_ID_COMPARISON_TYPE","property":"entityId","operator":"prefix","value":"staff-"}]}
],"deletedFlagKeys":[
],"flags":[
{"key":"color","type":"VARIANT_FLAG_TYPE","enabled":true,"created":1767225600000000,"defaultVariantId":"v-1","variants":[{"id":"v-1","key":"blue","attachment":"{\\"hex\\":\\"#00f\\"}"},{"id":"v-2","key":"red \\"hot\\"","attachment":""}],"rules":[{"rank":1,"segmentKeys":["staff","eu"],"segmentOperator":"AND_SEGMENT_OPERATOR","distributions":[{"variantId":"v-1","rollout":33.33},{"variantId":"v-2","rollout":66.5}]},{"rank":2,"segmentKeys":["all"],"segmentOperator":"OR_SEGMENT_OPERATOR","distributions":[]}],"rollouts":[]},
{"key":"switch","type":"BOOLEAN_FLAG_TYPE","enabled":false,"created":1767225600000001,"defaultVariantId":"","variants":[],"rules":[],"rollouts":[{"rank":1,"segment":{"segmentKeys":["eu","staff"],"segmentOperator":"OR_SEGMENT_OPERATOR","value":true}},{"rank":2,"threshold":{"percentage":0.1,"value":false}}]},
{"key":"off","type":"VARIANT_FLAG_TYPE","enabled":false,"created":1767225600000002,"defaultVariantId":"","variants":[],"rules":[],"rollouts":[]}
]}`

async function textOf(state: NamespaceState): Promise<string> {
  const { text } = await new Wholes(new EventLoopScheduler()).get(state, recordsForm)
  return wholeOf(text).toString()
}

/** What takes a client from a revision to the present one. */
function changeSince(state: NamespaceState, fromRevision: number) {
  const changes = recordsForm.changesSince(state, fromRevision)
  if (changes === undefined) throw new Error('too long ago')
  return recordsForm.changeOf({ ...changes, fromRevision, view: state.viewOf(changes.flagKeys) })
}

t.test('the whole of a namespace', async (t) => {
  await t.test('has all that decides, each item on a line', async (t) => {
    t.equal(await textOf(stateOf('shop', 7, example.change)), expected)
  })

  await t.test('is the same after flags became the text of a snapshot', async (t) => {
    const state = stateOf('shop', 7, example.change)
    for (const flag of state.view().flags) flagTextOf(flag)
    t.equal(await textOf(state), expected)
  })

  await t.test('has one order at each gateway, whatever came first', async (t) => {
    const { flags = [], segments = [] } = example.change
    const change = { flags: flags.toReversed(), segments: segments.toReversed() }
    t.equal(await textOf(stateOf('shop', 7, change)), expected)
  })

  await t.test('has of the variants those that are served', async (t) => {
    const variants = ['a', 'b', 'c'].map((id) => ({ id, key: id, attachment: '"größe"' }))
    const distributions = ['c', 'gone', 'c'].map((variantId) => ({ variantId, rollout: 1 }))
    const rules = [{ id: 'r', rank: 1, segmentKey: 'pro', distributions }]
    const flag = { key: 'f', type: 'VARIANT_FLAG_TYPE' as const, variants }
    const state = stateOf('a', 1, { flags: [{ flag, rules }] })
    const served = async () =>
      (JSON.parse(await textOf(state)) as { flags: { variants: object[] }[] }).flags[0]?.variants
    t.strictSame(await served(), [variants[2]])
    const defaultVariant = { id: 'b' }
    applyTo(state, 2, { flags: [{ flag: { ...flag, defaultVariant }, rules }] })
    t.strictSame(await served(), [variants[1], variants[2]])
  })

  await t.test('has nothing in it where there is nothing', async (t) => {
    const empty = { flags: [], segments: [], deletedFlagKeys: [], deletedSegmentKeys: [] }
    const text = recordsForm.emptyOf('a', 3)
    t.equal(await textOf(stateOf('a', 3, {})), text)
    t.strictSame(JSON.parse(text), { revision: 3, fromRevision: 0, ...empty })
  })
})

t.test('a change has what is different, and a segment without its flags', async (t) => {
  const state = stateOf('a', 1, {
    flags: manyFlags(5),
    segments: [segmentFor('pro', 'pro'), segmentFor('old', 'old')],
  })
  applyTo(state, 2, { flags: [booleanState('f-1', 1, 'renamed')], deletedFlagKeys: ['f-0'] })
  applyTo(state, 3, { segments: [segmentFor('pro', 'free')], deletedSegmentKeys: ['old'] })
  const keysSince = (revision: number) => {
    const { flags, segments, ...rest } = JSON.parse([...changeSince(state, revision)()].join(''))
    const keysOf = (items: { key: string }[]) => items.map(({ key }) => key)
    return { ...rest, flags: keysOf(flags), segments: keysOf(segments) }
  }
  const ofSegments = { segments: ['pro'], deletedSegmentKeys: ['old'] }
  t.strictSame(keysSince(2), {
    ...{ revision: 3, fromRevision: 2, ...ofSegments },
    ...{ flags: [], deletedFlagKeys: [] },
  })
  t.strictSame(keysSince(1), {
    ...{ revision: 3, fromRevision: 1, ...ofSegments },
    ...{ flags: ['f-1'], deletedFlagKeys: ['f-0'] },
  })
})

t.test('an event has a field for each line, and its length before it is made', async (t) => {
  const scheduler = new EventLoopScheduler()
  for (const count of [3, 10_000]) {
    const view = stateOf('a', 7, {
      flags: manyFlags(count),
      segments: [segmentFor('pro', 'é')],
    }).view()
    const text = await toCopyText(recordsForm.wholeOf(view), scheduler)
    const frame = toFrame(text, { id: '7', event: 'whole' }, scheduler)
    const slices: Buffer[] = []
    if (Buffer.isBuffer(frame)) slices.push(frame)
    else for await (const slice of frame.slices()) slices.push(slice)
    const sent = Buffer.concat(slices)
    t.equal(Buffer.isBuffer(frame), count === 3)
    t.equal(sent.length, frame.length)
    const lines = wholeOf(text).toString().split('\n')
    t.equal(text.length, wholeOf(text).length)
    t.equal(lines.length, count + 6)
    const data = lines.map((line) => `data: ${line}\n`).join('')
    t.ok(sent.toString() === `id: 7\nevent: whole\n${data}\n`)
  }
})
