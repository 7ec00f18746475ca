import type { Explanation } from '@svc/client/api'
import { explainDocument } from '@svc/documents/explain'
import t from 'tap'
import { formatIn } from '../text/format.ts'
import {
  bucketText,
  foundOf,
  gapText,
  headline,
  missingProperties,
  needsText,
  passedText,
  questionText,
  reasonText,
  remarks,
  stateOf,
  type Words,
} from './sentences.ts'
import { explainTexts } from './texts.ts'

const words: Words = {
  t: explainTexts.en,
  on: 'On',
  off: 'Off',
  format: formatIn('en'),
  segmentName: (key) => (key === 'beta' ? 'Beta users' : key),
}

const plan = { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value: 'beta' }
const seats = { type: 'NUMBER_COMPARISON_TYPE', property: 'seats', operator: 'gt', value: '5' }
const email = { type: 'STRING_COMPARISON_TYPE', property: 'email', operator: 'neq', value: 'x' }
const segments = [
  { key: 'beta', matchType: 'ANY_MATCH_TYPE', constraints: [plan, seats] },
  { key: 'staff', constraints: [email] },
  { key: 'all' },
]

function ask(flag: object, context: Record<string, unknown> = {}, entityId = 'user-42') {
  const question = { namespaceKey: 'shop', revision: 0, segments, entityId, context }
  return explainDocument({ ...question, flag: { key: 'checkout', ...flag } }) as Explanation
}

const rollouts = [
  { segment: { segments: ['beta', 'staff'], value: true } },
  { threshold: { percentage: 25, value: true } },
]
const boolean = { type: 'BOOLEAN_FLAG_TYPE', rollouts }

/** user-42 is at 93.535 of checkout's thresholds and at 49.1696 of its distributions. */
const variants = [{ key: 'blue', default: true }, { key: 'red' }]
const split = (blue: number, red: number) => ({
  variants,
  enabled: true,
  rules: [
    {
      segments: ['all'],
      distributions: [
        { variant: 'blue', rollout: blue },
        { variant: 'red', rollout: red },
      ],
    },
  ],
})

t.test('the answer comes with its reason', async (t) => {
  const say = (explanation: Explanation) => headline(explanation, words)
  t.equal(say(ask(boolean)), 'Off, because no rollout matches')
  t.equal(say(ask(boolean, { plan: 'beta' })), 'On, because of rollout 1')
  t.equal(say(ask({ type: 'BOOLEAN_FLAG_TYPE', enabled: true })), 'On, because there is no rollout')
  t.equal(say(ask(split(40, 60))), 'red, because of rule 1')
  t.equal(say(ask(split(5, 5))), 'blue, because rule 1 leaves a rest')
  t.equal(say(ask({ ...split(60, 40), enabled: false })), 'blue, because the flag is disabled')
  t.equal(say(ask({ variants: [], enabled: true })), 'Nothing, because there is no rule')
})

t.test('a second sentence says why', async (t) => {
  const say = (explanation: Explanation) =>
    reasonText(explanation, words).replace(/[\ue000\ue001]/g, '')
  t.equal(say(ask(boolean)), 'Everyone else gets Off.')
  t.equal(say(ask(boolean, { plan: 'beta' })), 'user-42 is in Beta users.')
  t.match(say(ask(split(40, 60))), /^user-42 falls into bucket 49\.1696, and 40 to 100 get red\.$/)
  t.match(say(ask(split(5, 5))), /^user-42 falls into bucket [\d.]+, and the shares end at 10%\.$/)
  const half = { ...boolean, rollouts: [{ threshold: { percentage: 99.5, value: false } }] }
  const text = 'user-42 falls into bucket 93.535, and those below 99.5% get Off.'
  t.equal(say(ask(half)), text)
  t.match(say(ask({ variants: [], enabled: true })), /no default variant/)
})

t.test('each step says what it asks and what it found', async (t) => {
  const explanation = ask(boolean)
  const [first, second] = explanation.steps
  if (first === undefined || second === undefined) throw new Error('there are two steps')
  t.equal(questionText(first, explanation, words), 'If in Beta users or staff')
  t.equal(passedText(first, words), 'in neither')
  t.equal(questionText(second, explanation, words), 'For 25%')
  t.equal(passedText(second, words), 'bucket 93.535, not below 25%')
  t.equal(second.bucket && bucketText(second.bucket, explanation, words), passedText(second, words))
  t.equal(stateOf(second, explanation), 'passed')
  t.equal(needsText(first.segments[0] as never, words), 'needs any of 2')
  const on = ask(boolean, { plan: 'beta' })
  t.strictSame(
    on.steps.map((step) => stateOf(step, on)),
    ['hit', 'unreached'],
  )
})

t.test('the rest of a split is said', async (t) => {
  const say = (flag: object, preset?: string) => {
    const [step] = ask(flag).steps
    return step && gapText(step, preset, words)
  }
  const text = 'The other 10% get the default, blue. Later rules are not asked.'
  t.equal(say(split(60, 30), 'blue'), text)
  t.match(say(split(60, 30)), /their code has as default/)
  t.equal(say(split(60, 40), 'blue'), undefined)
})

t.test('each constraint says what the context has', async (t) => {
  const found = ask(boolean, { plan: 'pro', seats: 'many' }).steps.flatMap(({ segments }) =>
    segments.flatMap(({ constraints }) => constraints.map((one) => foundOf(one, words))),
  )
  t.strictSame(found, [
    { text: 'it is', actual: 'pro' },
    { text: 'it is', actual: 'many', more: 'which is no number' },
    { text: 'not in the context', more: 'A negation needs it to be there.' },
  ])
  t.strictSame(missingProperties(ask(boolean, { plan: 'pro' })), ['seats', 'email'])
})

t.test('what is remarkable is said', async (t) => {
  t.strictSame(remarks(ask(boolean, { plan: 'beta' }), words), [])
  t.match(remarks(ask(boolean, {}, ''), words), [/no entity/])
})
