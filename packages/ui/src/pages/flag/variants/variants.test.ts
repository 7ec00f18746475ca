import type { FlagDocument, RuleDocument, VariantDocument } from '@svc/client/api'
import t from 'tap'
import { editDraft, rebaseDraft, startDraft } from '../../../data/draft.ts'
import { maxBytes, previewOf, readAttachment } from './attachment.ts'
import { lossOf, ruleCount, withoutVariant, withVariant, withVariantsOf } from './edits.ts'
import { onTheirs } from './meanwhile.ts'

function variant(key: string, more: Partial<VariantDocument> = {}): VariantDocument {
  return {
    id: `id-${key}`,
    key,
    name: '',
    description: '',
    attachment: '',
    default: false,
    ...more,
  }
}

function rule(segment: string, shares: Readonly<Record<string, number>>): RuleDocument {
  return {
    id: segment,
    segments: [segment],
    operator: 'OR_SEGMENT_OPERATOR',
    distributions: Object.entries(shares).map(([variant, rollout]) => ({
      id: `${segment}-${variant}`,
      variant,
      rollout,
    })),
  }
}

const flag: FlagDocument = {
  key: 'theme',
  type: 'VARIANT_FLAG_TYPE',
  name: 'Theme',
  description: '',
  enabled: true,
  variants: [variant('blue', { default: true }), variant('green'), variant('amber')],
  rules: [rule('eu', { blue: 60, green: 30, amber: 10 }), rule('staff', { green: 100 })],
  rollouts: [],
}

const defaultsOf = ({ variants }: FlagDocument) =>
  variants.filter((one) => one.default).map(({ key }) => key)

t.test('a variant is changed in its place, and rules follow its key', async (t) => {
  const next = withVariant(flag, variant('teal', { id: 'id-green' }))
  t.strictSame(
    next.variants.map(({ key }) => key),
    ['blue', 'teal', 'amber'],
  )
  t.strictSame(
    next.rules.map(({ distributions }) => distributions.map(({ variant }) => variant)),
    [['blue', 'teal', 'amber'], ['teal']],
  )
  t.equal(next.rules[0]?.distributions[1]?.id, 'eu-green', 'who has it keeps it')
})

t.test('a new one comes last, and one at most is the default', async (t) => {
  const next = withVariant(flag, variant('red', { id: '', default: true }))
  t.strictSame(
    next.variants.filter((one) => one.default).map(({ key }) => key),
    ['red'],
  )
  t.equal(next.variants.length, 4)
  const none = withVariant(flag, variant('blue', { default: false }))
  t.notOk(none.variants.some((one) => one.default))
})

t.test('one that is deleted takes its shares along', async (t) => {
  const next = withoutVariant(flag, 'green')
  t.strictSame(
    next.rules.map(({ distributions }) => distributions.map(({ variant }) => variant)),
    [['blue', 'amber'], []],
  )
  t.equal(next.variants.length, 2)
})

t.test('a draft follows what was saved by itself', async (t) => {
  for (const now of [
    withVariant(flag, variant('teal', { id: 'id-green' })),
    withVariant(flag, variant('red')),
    withoutVariant(flag, 'green'),
  ])
    t.strictSame(withVariantsOf(now)(flag, flag), now)
})

t.test('a draft that chose another default keeps it while that is there', async (t) => {
  const chosen = withVariant(flag, variant('green', { default: true }))
  const disabled = { ...chosen, enabled: false }
  const renamed = withVariant(flag, variant('navy', { id: 'id-blue', default: true }))
  const carried = rebaseDraft(
    editDraft(editDraft(startDraft(flag, '"shop:1"'), chosen), disabled),
    renamed,
    '"shop:2"',
    withVariantsOf(renamed),
  )
  t.strictSame(carried.base, renamed)
  t.strictSame(defaultsOf(carried.present), ['green'])
  t.equal(carried.present.enabled, false)
  t.equal(carried.present.variants[0]?.key, 'navy')
  t.strictSame(carried.past.map(defaultsOf), [['navy'], ['green']])
  t.strictSame(defaultsOf(withVariantsOf(withoutVariant(flag, 'green'))(chosen, flag)), ['blue'])
  const none = withVariant(flag, variant('blue', { default: false }))
  t.strictSame(defaultsOf(withVariantsOf(renamed)(none, flag)), [])
})

t.test('what others made the default stays it when another part was edited', async (t) => {
  const blue = variant('blue', { default: true })
  const theirs = withVariant(flag, variant('green', { default: true }))
  const form = { ...blue, name: 'Mine' }
  const met = onTheirs({ base: flag, before: blue, form }, theirs)
  t.equal(met.conflict, 'elsewhere')
  t.equal(met.before.default, false)
  t.match(met.form, { name: 'Mine', default: false })
  t.strictSame(defaultsOf(withVariant(theirs, met.form)), ['green'])
})

t.test('one that became the default meanwhile stays it', async (t) => {
  const theirs = withVariant(flag, variant('green', { default: true }))
  const before = variant('green')
  const met = onTheirs({ base: flag, before, form: { ...before, name: 'Mine' } }, theirs)
  t.strictSame(defaultsOf(withVariant(theirs, met.form)), ['green'])
})

t.test('two who choose a default are a conflict', async (t) => {
  const theirs = withVariant(flag, variant('green', { default: true }))
  const amber = variant('amber')
  const form = { ...amber, default: true }
  const met = onTheirs({ base: flag, before: amber, form }, theirs)
  t.equal(met.conflict, 'default')
  t.equal(met.form.default, true)
  const fresh = variant('', { id: '' })
  const made = onTheirs({ base: flag, before: fresh, form: { ...fresh, default: true } }, theirs)
  t.equal(made.conflict, 'default')
  t.equal(made.form.default, true)
  const green = variant('green')
  const same = onTheirs({ base: flag, before: green, form: { ...green, default: true } }, theirs)
  t.equal(same.conflict, 'elsewhere', 'unless they choose the same one')
})

t.test('a new one leaves the default to others who made one meanwhile', async (t) => {
  const before = variant('', { id: '', default: true })
  const form = { ...before, key: 'red' }
  const met = onTheirs({ base: { ...flag, variants: [] }, before, form }, flag)
  t.equal(met.conflict, 'elsewhere')
  t.strictSame(defaultsOf(withVariant(flag, met.form)), ['blue'])
})

t.test('one that others deleted is made anew, and takes no default from another', async (t) => {
  const blue = variant('blue', { default: true })
  const form = { ...blue, name: 'Mine' }
  const without = withoutVariant(flag, 'blue')
  const gone = onTheirs({ base: flag, before: blue, form }, without)
  t.equal(gone.conflict, 'deleted')
  t.match(gone.form, { id: '', name: 'Mine', default: true })
  const theirs = withVariant(without, variant('green', { default: true }))
  const met = onTheirs({ base: flag, before: blue, form }, theirs)
  t.strictSame(defaultsOf(withVariant(theirs, met.form)), ['green'])
})

t.test('what others did to the variant is shown', async (t) => {
  const before = variant('green')
  const form = { ...before, name: 'Mine' }
  const theirs = withVariant(flag, variant('green', { name: 'Theirs' }))
  const met = onTheirs({ base: flag, before, form }, theirs)
  t.equal(met.conflict, 'here')
  t.equal(met.before.name, 'Theirs')
  t.equal(met.form.name, 'Mine')
})

t.test('what it takes from people goes to the default', async (t) => {
  t.strictSame(lossOf(flag, 'green'), {
    isDefault: false,
    heir: 'blue',
    rules: [
      { place: 1, segments: ['eu'], share: 30, movesOthers: true },
      { place: 2, segments: ['staff'], share: 100, movesOthers: false },
    ],
  })
  t.equal(lossOf(flag, 'amber').rules[0]?.movesOthers, false, 'nobody stands after it')
})

t.test('without a default it goes to the code', async (t) => {
  t.match(lossOf(flag, 'blue'), { isDefault: true, heir: undefined, rules: [{ share: 60 }] })
})

t.test('shares above 100 are served to nobody', async (t) => {
  const more = { ...flag, rules: [rule('eu', { blue: 90, green: 30, amber: 10 })] }
  t.equal(lossOf(more, 'green').rules[0]?.share, 10)
  t.strictSame(lossOf(more, 'amber').rules, [])
  t.equal(ruleCount(more, 'amber'), 0)
  t.equal(ruleCount(flag, 'green'), 2)
})

t.test('an attachment is read as the service keeps it', async (t) => {
  t.strictSame(readAttachment(' \n'), { attachment: '', bytes: 0, problem: undefined })
  t.strictSame(readAttachment('{ "ä": 1.0 }'), {
    attachment: '{"ä":1.0}',
    bytes: 10,
    problem: undefined,
  })
  t.strictSame(readAttachment('{\n"a": 1,\n}').problem, { kind: 'noJson', line: 3 })
  t.equal(readAttachment(`"${'a'.repeat(maxBytes - 2)}"`).problem, undefined)
  t.equal(readAttachment(`"${'a'.repeat(maxBytes - 1)}"`).problem?.kind, 'tooLong')
  t.equal(readAttachment('['.repeat(64) + ']'.repeat(64)).problem, undefined)
  t.equal(readAttachment('['.repeat(65) + ']'.repeat(65)).problem?.kind, 'tooDeep')
  t.equal(readAttachment(`"${'['.repeat(65)}"`).problem, undefined, 'texts have no depth')
})

t.test('a preview names the members', async (t) => {
  t.equal(previewOf(''), '')
  t.equal(previewOf('{"primary":"#fff","text":1}'), '{ primary, text }')
  t.equal(previewOf('{"a":1,"b":1,"c":1,"d":1,"e":1}'), '{ a, b, c, d, … }')
  t.equal(previewOf('{}'), '{}')
  t.equal(previewOf('[1,2,3]'), '[ 3 ]')
  t.equal(previewOf('"x"'), '"x"')
  t.equal(previewOf(`"${'y'.repeat(100)}"`).length, 49)
})
