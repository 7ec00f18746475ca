import { readFileSync } from 'node:fs'
import { EventLoopScheduler } from '@svc/runtime'
import t from 'tap'
import { flagTextOf, type NamespaceState } from '../../replica/namespace-state.ts'
import type { Form } from '../copies/form.ts'
import { Wholes } from '../copies/wholes.ts'
import { currentForm, formFor } from './form.ts'
import { applyTo, booleanState, manyFlags, segmentFor, stateOf, textOf } from './testing.ts'

const example: { change: Parameters<typeof stateOf>[2]; expected: object } = JSON.parse(
  readFileSync(new URL('../../../../../test/fixtures/snapshot.json', import.meta.url), 'utf8'),
)

/** A bit of everything that a snapshot can show, and its text. */
const workedExample = () => stateOf('shop', 7, example.change)
const expected = JSON.stringify(example.expected)

t.test('the text of a snapshot', async (t) => {
  await t.test('is the one of the contract', async (t) => {
    t.equal(await textOf(workedExample()), expected)
  })

  await t.test('leaves out default variants for clients before 1.47', async (t) => {
    const form = formFor({ 'x-svc-accept-server-version': '1.46' })
    const cut = expected.replace(/,"defaultVariant":\{.*?\}"\}/, '')
    t.not(cut, expected)
    t.equal(await textOf(workedExample(), form), cut)
  })

  await t.test('hides the type of entity id constraints for clients before 1.38', async (t) => {
    const cut = expected
      .replace(/,"defaultVariant":\{.*?\}"\}/, '')
      .replaceAll('ENTITY_ID_CONSTRAINT', 'UNKNOWN_CONSTRAINT')
    t.equal(await textOf(workedExample(), formFor({})), cut)
  })

  await t.test('has no flags where there are none', async (t) => {
    t.equal(await textOf(stateOf('a', 1, {})), '{"namespace":{"key":"a"},"flags":[]}')
    t.equal(currentForm.emptyOf('a', 1), '{"namespace":{"key":"a"},"flags":[]}')
  })

  await t.test('has a segment without entities in place of one that does not exist', async (t) => {
    const text = await textOf(stateOf('a', 1, { flags: [booleanState('f')] }))
    t.match(text, /"segments":\[\{"key":"pro",.*"type":"UNKNOWN_CONSTRAINT_COMPARISON_TYPE"/)
  })

  await t.test(
    'has a form for each kind of client, also of an attachment used often',
    async (t) => {
      const attachment = JSON.stringify('é')
      const variants = ['v', 'w'].map((id) => ({ id, key: id, attachment }))
      const distributions = ['v', 'w', 'v'].map((variantId) => ({ variantId, rollout: 1 }))
      const rules = [{ id: 'r', rank: 1, segmentKey: 'pro', distributions }]
      const [defaultVariant] = variants
      const state = stateOf('a', 1, {
        flags: [{ flag: { key: 'f', variants, defaultVariant }, rules }],
      })
      const textIn = JSON.stringify(attachment)
      const countIn = async (form: Form = currentForm) =>
        (await textOf(state, form)).split(textIn).length - 1
      t.equal(await countIn(), 4)
      t.equal(await countIn(formFor({})), 3)
    },
  )
})

t.test('flags are in list order', async (t) => {
  const state = stateOf('a', 1, { flags: [booleanState('b', 2), booleanState('c', 1)] })
  applyTo(state, 2, { flags: [booleanState('a', 3), booleanState('d', 1)] })
  applyTo(state, 3, { flags: [booleanState('c', 1, 'changed')] })
  const { flags } = JSON.parse(await textOf(state)) as { flags: { key: string }[] }
  t.strictSame(
    flags.map(({ key }) => key),
    ['c', 'd', 'b', 'a'],
  )
})

t.test('flags of one instant have one order at each gateway', async (t) => {
  const flags = ['a', 'b', 'c'].map((key) => booleanState(key))
  const [one, other] = [stateOf('a', 1, { flags }), stateOf('a', 1, { flags: flags.toReversed() })]
  t.equal(other.flags.get('c')?.key, 'c', 'a request may have compiled a flag before')
  t.equal(await textOf(other), await textOf(one))
  const keysOf = (state: NamespaceState) =>
    state.viewOf(['c', 'b', 'a']).flags.map(({ key }) => key)
  t.strictSame([keysOf(one), keysOf(other)], Array(2).fill(['a', 'b', 'c']))
})

t.test('a snapshot after a change is like one of a state that was never another', async (t) => {
  const flags = new Map(manyFlags(50).map((state) => [state.flag?.key ?? '', state]))
  let segments = [segmentFor('pro', 'pro')]
  const state = stateOf('a', 1, { flags: [...flags.values()], segments })
  const changes: readonly [name: string, change: Parameters<typeof applyTo>[2]][] = [
    ['a flag', { flags: [booleanState('f-7', 7, 'another name')] }],
    ['the first flag', { flags: [booleanState('f-0', 0, 'x')] }],
    ['the last flag', { flags: [booleanState('f-49', 49, 'x'.repeat(5000))] }],
    ['a new flag', { flags: [booleanState('new', 100)] }],
    ['a new flag in the middle', { flags: [booleanState('middle', 20)] }],
    ['deleted flags', { deletedFlagKeys: ['f-0', 'f-25', 'new'] }],
    ['a flag made anew', { deletedFlagKeys: ['f-3'], flags: [booleanState('f-3', 101)] }],
    ['a segment', { segments: [segmentFor('pro', 'free')] }],
    ['nothing', {}],
  ]
  for (const [index, [name, change]] of changes.entries()) {
    await t.test(name, async (t) => {
      const before = await textOf(state)
      applyTo(state, index + 2, change)
      for (const key of change.deletedFlagKeys ?? []) flags.delete(key)
      for (const flag of change.flags ?? []) flags.set(flag.flag?.key ?? '', flag)
      segments = [...(change.segments ?? segments)] as typeof segments
      const inOrder = [...flags.values()].toSorted((a, b) => secondOf(a) - secondOf(b))
      const text = await textOf(state)
      t.equal(text, await textOf(stateOf('a', index + 2, { flags: inOrder, segments })))
      t.equal(text === before, name === 'nothing')
    })
  }
})

function secondOf({ flag }: ReturnType<typeof booleanState>): number {
  return flag?.createdAt?.seconds ?? 0
}

t.test('a snapshot is as of one revision, whatever changes while it is made', async (t) => {
  const state = stateOf('a', 1, {
    flags: manyFlags(3000, 'before'),
    segments: [segmentFor('pro', 'before')],
  })
  const before = await textOf(state)
  const making = new Wholes(new EventLoopScheduler()).get(state, currentForm)
  for (let i = 0; i < 3000; i += 100) {
    await new Promise((resolve) => setImmediate(resolve))
    applyTo(state, 2 + i, {
      flags: [booleanState(`f-${i}`, i, 'after')],
      segments: [segmentFor('pro', `after ${i}`)],
      deletedFlagKeys: [`f-${i + 1}`],
    })
  }
  const { revision, text } = await making
  t.equal(revision, 1)
  const slices = text.slices()
  const first = slices.next().value
  applyTo(state, 4000, { flags: manyFlags(3000, 'later') })
  t.equal(Buffer.concat([first ?? Buffer.of(), ...slices]).toString(), before)
})

t.test('a snapshot with too much in it is refused, and takes no memory for it', async (t) => {
  const attachment = JSON.stringify('x'.repeat(1_000_000))
  const variants = [{ id: 'v', key: 'v', attachment }]
  const distributions = Array.from({ length: 1000 }, () => ({ variantId: 'v', rollout: 0 }))
  const rules = [{ id: 'r', rank: 1, segmentKey: 'pro', distributions }]
  const state = stateOf('a', 1, { flags: [{ flag: { key: 'f', variants }, rules }] })
  await t.rejects(textOf(state), { code: 'invalid_argument', reason: 'snapshot_too_large' })
  const texts = state.view().flags.map(flagTextOf)
  t.ok(texts.join('').length < 1_200_000, 'the attachment is kept once')
})
