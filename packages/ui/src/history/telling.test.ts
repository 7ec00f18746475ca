import type { Change, ChangeItem, FieldChange } from '@svc/client/api'
import t from 'tap'
import { formatIn } from '../text/format.ts'
import { tellField } from './fields.ts'
import { objectMark, type Teller, tellChange } from './telling.ts'
import { de } from './texts.de.ts'
import { historyPartTexts } from './texts.ts'

const teller: Teller = {
  ...{ t: historyPartTexts.en, format: formatIn('en'), namespaceKey: 'shop', isOwn: false },
}

const flag = (changes: readonly FieldChange[], document: object = {}): ChangeItem => ({
  ...{ kind: 'FLAG_KIND', key: 'checkout', action: 'UPDATED_ACTION', changes },
  before: '{}',
  after: JSON.stringify({ key: 'checkout', name: 'Checkout', ...document }),
})

const change = (items: readonly ChangeItem[], more: Partial<Change> = {}): Change => ({
  ...{ revision: 42, at: '2026-11-25T12:00:00Z', source: 'api', comment: '', requestId: '' },
  actor: { id: 'a', method: 'METHOD_TOKEN', name: 'alice', address: '' },
  ...{ previousHash: '', hash: '', keyId: '', nextPageToken: '', itemCount: items.length },
  ...{ items, ...more },
})

/** As a reader sees it, with the object as `[]`. */
const tell = (one: Change, more: Partial<Teller> = {}) =>
  tellChange(one, { ...teller, ...more })
    .text.replaceAll(objectMark, '[]')
    .replaceAll(/[\ue000\ue001]/g, '')

const enabled = (after: string) => [{ path: 'enabled', before: 'false', after }]

t.test('the switch of a flag says what it is for', async (t) => {
  const boolean = { type: 'BOOLEAN_FLAG_TYPE' }
  t.equal(tell(change([flag(enabled('true'), boolean)])), 'turned the flag [] On')
  t.equal(tell(change([flag(enabled('false'), boolean)])), 'turned the flag [] Off')
  const partly = { ...boolean, rollouts: [{ threshold: { percentage: 25, value: true } }] }
  t.equal(
    tell(change([flag(enabled('false'), partly)])),
    'turned the flag [] Off for everyone else',
  )
  t.equal(tell(change([flag(enabled('true'))])), 'enabled the flag []', 'a variant flag')
  t.equal(tell(change([flag(enabled('false'))])), 'disabled the flag []')
})

t.test('Stop and Resume are named as the buttons are', async (t) => {
  const stop = JSON.stringify({ id: 'x', threshold: { percentage: 100 } })
  const served = JSON.stringify({ threshold: { percentage: 100, value: true } })
  const first = (before?: string, after?: string) =>
    change([flag([{ path: 'rollouts[0]', ...(before && { before }), ...(after && { after }) }])])
  t.equal(tell(first(undefined, stop)), 'stopped the flag []: everyone gets Off')
  t.equal(tell(first(stop)), 'resumed the flag []')
  t.equal(tell(first(undefined, served)), 'added rollout 1 of []')
})

t.test('one part that was changed is named', async (t) => {
  const one = (field: FieldChange, document?: object) => tell(change([flag([field], document)]))
  const share = { path: 'rollouts[1].threshold.percentage', before: '10', after: '25' }
  t.equal(one(share), 'raised rollout 2 of [] from 10% to 25%')
  t.equal(one({ ...share, before: '25', after: '10' }), 'lowered rollout 2 of [] from 25% to 10%')
  t.equal(one({ path: 'rules[2].position', before: '0', after: '2' }), 'moved rule 3 of []')
  t.equal(one({ path: 'rules[0]', before: '{}' }), 'removed rule 1 of []')
  t.equal(one({ path: 'description', after: '"x"' }), 'changed the description of []')
  t.equal(one({ path: 'metadata.tags', after: '["x"]' }), 'changed the tags of []')
  t.equal(one({ path: 'metadata', after: '{"tags":["x"]}' }), 'changed the tags of []')
  t.equal(one({ path: 'metadata["a b"]', after: '1' }), 'changed the metadata of []')
  const variants = [{ key: 'blue' }, { key: 'red' }]
  t.equal(one({ path: 'variants[1]', after: '{}' }, { variants }), 'added the variant red of []')
})

t.test('several parts are a list, each once', async (t) => {
  const fields = [
    { path: 'name', before: '"a"', after: '"b"' },
    { path: 'rules[0].segments', before: '["a"]', after: '["b"]' },
    { path: 'rules[0].distributions[0].rollout', before: '10', after: '20' },
  ]
  t.equal(tell(change([flag(fields)])), 'changed the name and rule 1 of []')
  const more = [...fields, { path: 'rules[1].segments', before: '["a"]', after: '["b"]' }]
  t.equal(tell(change([flag(more)])), 'changed the name and the rules of []')
})

t.test('another default is one thing', async (t) => {
  const fields = [
    { path: 'variants[0].default', before: 'true', after: 'false' },
    { path: 'variants[1].default', before: 'false', after: 'true' },
  ]
  const variants = [{ key: 'blue' }, { key: 'red', default: true }]
  t.equal(tell(change([flag(fields, { variants })])), 'made red the default of []')
  t.equal(tell(change([flag(fields.slice(0, 1), { variants })])), 'took away the default of []')
})

t.test('an undo names what it took back, and a restore the version', async (t) => {
  const items = [flag(enabled('true'))]
  t.equal(tell(change(items, { details: { undoes: 41 } })), 'took back change 41 of []')
  t.equal(tell(change([...items, ...items], { details: { undoes: 41 } })), 'took back change 41')
  t.equal(tell(change(items, { details: { from: 'shop:9' } })), 'put back version 9 of []')
  t.equal(tell(change(items, { details: { from: 'staging:9' } })), 'enabled the flag []')
})

t.test('several objects are counted', async (t) => {
  const created = { ...flag([]), action: 'CREATED_ACTION' } as const
  const segment = { ...flag([]), kind: 'SEGMENT_KIND' } as const
  t.equal(
    tell(change([created, created, created, segment])),
    'created 3 flags and changed 1 segment',
  )
  t.equal(
    tell(change([created], { itemCount: 1204 })),
    'changed 1,204 objects',
    'not all are listed',
  )
})

t.test('a write of the same values says so', async (t) => {
  t.equal(tell(change([flag([])])), 'saved the flag [] without a change')
  t.equal(tell(change([], { itemCount: 0 })), 'saved something without a change')
})

t.test('the page of an object does not name it', async (t) => {
  const own = { isOwn: true }
  const created = { ...flag([]), action: 'CREATED_ACTION' } as const
  t.equal(tell(change([created]), own), 'created the flag')
  t.equal(tell(change([flag([{ path: 'name', after: '"x"' }])]), own), 'changed the name')
})

t.test('German sentences are whole', async (t) => {
  const german = { t: de, format: formatIn('de') }
  const share = { path: 'rollouts[1].threshold.percentage', before: '10', after: '25' }
  t.equal(
    tell(change([flag([share])]), german),
    'hat Rollout 2 von [] von 10\u00a0% auf 25\u00a0% erhöht',
  )
  const created = { ...flag([]), action: 'CREATED_ACTION' } as const
  const segment = { ...flag([]), kind: 'SEGMENT_KIND' } as const
  t.equal(
    tell(change([created, created, segment]), german),
    'hat 2 Flags angelegt und 1 Segment geändert',
  )
})

t.test('a field is where, before and after', async (t) => {
  const field = (path: string, before?: unknown, after?: unknown, isBoolean = true) => {
    const json = (value: unknown) => (value === undefined ? {} : { text: JSON.stringify(value) })
    const [one, other] = [json(before).text, json(after).text]
    const told = tellField(
      { path, ...(one && { before: one }), ...(other && { after: other }) },
      { t: historyPartTexts.en, format: formatIn('en'), isBoolean },
    )
    return [told.kind, told.label, told.before, told.after]
  }
  t.strictSame(field('enabled', false, true), ['changed', 'Everyone else gets', 'Off', 'On'])
  t.strictSame(field('enabled', false, true, false), ['changed', 'Enabled', 'no', 'yes'])
  t.strictSame(field('rollouts[1].threshold.percentage', 10, 25), [
    ...['changed', 'Rollout 2, share', '10%', '25%'],
  ])
  t.strictSame(field('rollouts[0].segment.segments', ['a'], ['a', 'b']), [
    ...['changed', 'Rollout 1, segments', 'a', 'a, b'],
  ])
  t.strictSame(field('rules[1].position', 0, 1), ['moved', 'Rule 2, place', '1', '2'])
  t.strictSame(
    field('rules[0]', undefined, {
      segments: ['a', 'b'],
      operator: 'AND_SEGMENT_OPERATOR',
      distributions: [
        { variant: 'blue', rollout: 60 },
        { variant: 'red', rollout: 40 },
      ],
    }),
    ['added', 'Rule 1', undefined, 'a AND b gets blue 60% and red 40%'],
  )
  t.strictSame(field('rollouts[0]', { threshold: { percentage: 100 } }), [
    ...['removed', 'Rollout 1', '100% get Off', undefined],
  ])
  t.strictSame(field('metadata.owner', undefined, 'x'), ['added', 'Metadata.owner', undefined, 'x'])
  t.strictSame(field('metadata', undefined, { tags: ['a', 'b'] }), [
    ...['added', 'Tags', undefined, 'a, b'],
  ])
  t.equal(field('description', undefined, 'x'.repeat(500))[3]?.length, 241, 'long values are cut')
})
