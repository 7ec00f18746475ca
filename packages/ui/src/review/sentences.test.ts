import t from 'tap'
import { constraintTexts } from '../constraints/texts.ts'
import { formatIn } from '../text/format.ts'
import type { Words } from './describe.ts'
import { effectOf } from './effect.ts'
import { movedShare } from './rule-sentences.ts'
import { sentencesOf } from './sentences.ts'
import {
  booleanFlag,
  constraint,
  rule,
  segmentOf,
  segmentRollout,
  threshold,
  variant,
  variantFlag,
} from './testing.ts'
import { de } from './texts.de.ts'
import { reviewTexts } from './texts.ts'

const words: Words = {
  t: reviewTexts.en,
  c: constraintTexts.en,
  format: formatIn('en'),
  segments: [
    { key: 'beta', name: 'Beta users' },
    { key: 'staff', name: 'Staff' },
    { key: 'all', name: 'All', matchesEveryone: true },
  ],
}

/** As a reader sees it: `+what comes+`, `-what goes-`. */
const seen = (text: string | undefined) =>
  text
    ?.replace(/[\ue010\ue011]/g, '+')
    .replace(/[\ue012\ue013]/g, '-')
    .replace(/[\ue000\ue001]/g, '')

const tell = (
  ...args: Parameters<typeof sentencesOf<'flag'>> | Parameters<typeof sentencesOf<'segment'>>
) =>
  (sentencesOf as (...args: unknown[]) => ReturnType<typeof sentencesOf>)(...args).map(
    ({ titles, body, effects }) => [
      titles.join(' / '),
      seen(body),
      ...effects.map(({ text, isAttention }) => `${isAttention ? '! ' : ''}${text}`),
    ],
  )

t.test('the changes of a boolean flag', async (t) => {
  const base = booleanFlag({
    rollouts: [
      segmentRollout(['beta'], true, '1'),
      threshold(25, true, '2'),
      segmentRollout(['old'], false, '3'),
    ],
  })
  const present = {
    ...base,
    rollouts: [segmentRollout(['beta', 'staff'], true, '1'), threshold(50, true, '2')],
  }
  t.strictSame(tell('flag', base, present, words), [
    ['Rollout 1 also takes Staff', 'If in Beta users or +Staff+, serve On.'],
    [
      'Rollout 2 goes up to 50%',
      'For -25%- +50%+ of the rest, serve On.',
      'Buckets 25 to 50 get On in addition.',
    ],
    ['Rollout 3 is removed', '-If in old, serve Off.-'],
  ])
  t.match(effectOf('flag', base, present, words), {
    told: [{ text: 'Nobody who has it loses it.' }],
  })
})

t.test('where the share follows from the rules it is said', async (t) => {
  const flag = (percentage: number) => booleanFlag({ rollouts: [threshold(percentage, true, '1')] })
  const text = (from: number, to: number) =>
    effectOf('flag', flag(from), flag(to), words)
      ?.told.map(({ text }) => text)
      .join(' ')
  t.equal(text(31, 55), 'On for about 55%, 31% before. Nobody who has it loses it.')
  t.equal(text(50, 20), 'On for about 20%, 50% before. About 30% lose it.')
  t.equal(text(0, 100), 'On for everyone, no one before.')
  t.equal(text(40, 0), 'Off for everyone, 40% before. About 40% lose it.')
  const german = { ...words, t: de, format: formatIn('de') }
  t.equal(
    effectOf('flag', flag(31), flag(55), german)
      ?.told.map(({ text }) => text)
      .join(' '),
    'An für etwa 55\u00a0%, bisher 31\u00a0%. Niemand verliert es.',
  )
})

t.test('lowering takes On, and so may a rule that moves', async (t) => {
  const [low, off] = [threshold(20, true, '1'), threshold(10, false, '2')]
  const base = booleanFlag({ rollouts: [threshold(50, true, '1'), off] })
  t.strictSame(tell('flag', base, { ...base, rollouts: [low, off] }, words), [
    [
      'Rollout 1 goes down to 20%',
      'For -50%- +20%+ of everyone, serve On.',
      'Buckets 20 to 50 go on to the next rule.',
      '! It takes On from about 30%.',
    ],
  ])
  const [, moved] = [
    0,
    tell('flag', base, { ...base, rollouts: base.rollouts.toReversed() }, words),
  ]
  t.equal(moved.length, 1, 'one of the two is said to move')
  t.match(moved[0]?.at(-1), /^! It takes On from about 10%/)
})

t.test('a percentage below another adds nobody', async (t) => {
  const base = booleanFlag({ rollouts: [threshold(50, true, '1')] })
  const present = { ...base, rollouts: [...base.rollouts, threshold(30, true, 'x')] }
  t.match(tell('flag', base, present, words), [
    ['Rollout 2 is new', '+For 30% of everyone, serve On.+', /^! It adds nobody/],
  ])
  const more = { ...base, rollouts: [...base.rollouts, threshold(65, true, 'x')] }
  t.match(tell('flag', base, more, words), [['Rollout 2 is new', String, /^It adds 15%/]])
})

t.test('a percentage below another is of everyone, as the page says', async (t) => {
  const base = booleanFlag({ rollouts: [threshold(20, false, '1'), threshold(50, true, '2')] })
  const present = { ...base, rollouts: [threshold(20, false, '1'), threshold(60, true, '2')] }
  t.strictSame(tell('flag', base, present, words), [
    [
      'Rollout 2 goes up to 60%',
      'For -50%- +60%+ of everyone, serve On.',
      'Buckets 50 to 60 get On in addition.',
    ],
  ])
})

t.test('a percentage below a segment that matches everyone adds nobody', async (t) => {
  const all = segmentRollout(['all'], false, '1')
  const base = booleanFlag({ rollouts: [all, threshold(10, true, '2')] })
  const present = { ...base, rollouts: [all, threshold(40, true, '2')] }
  t.strictSame(tell('flag', base, present, words), [
    [
      'Rollout 2 goes up to 40%',
      'For -10%- +40%+ of everyone, serve On.',
      '! It adds nobody: a segment above it matches everyone.',
    ],
  ])
})

t.test('who had it is not added, and those below that add nobody any more are said', async (t) => {
  const below = [threshold(60, false, '2'), threshold(70, true, '3')]
  const base = booleanFlag({ rollouts: [threshold(30, true, '1'), ...below] })
  const present = { ...base, rollouts: [threshold(80, true, '1'), ...below] }
  t.strictSame(tell('flag', base, present, words), [
    [
      'Rollout 1 goes up to 80%',
      'For -30%- +80%+ of everyone, serve On.',
      'Buckets 30 to 60 and 70 to 80 get On in addition.',
      '! Rollout 2 and Rollout 3 then add nobody.',
    ],
  ])
})

t.test('a flag that is switched off and still serves On says so', async (t) => {
  const base = booleanFlag({ enabled: true, rollouts: [threshold(31, true, '1')] })
  t.strictSame(tell('flag', base, { ...base, enabled: false }, words), [
    ['Everyone else gets Off', undefined, '! Still On for about 31% by rollouts.'],
  ])
  const some = booleanFlag({ enabled: true, rollouts: [segmentRollout(['beta'], true, '1')] })
  t.match(tell('flag', some, { ...some, enabled: false }, words), [
    ['Everyone else gets Off', undefined, '! Rollouts that give On go on to do so.'],
  ])
  const none = booleanFlag({ enabled: true })
  t.match(tell('flag', none, { ...none, enabled: false }, words), [
    ['Everyone else gets Off', undefined],
  ])
})

t.test('a segment that matches everyone is said', async (t) => {
  const base = booleanFlag()
  const present = { ...base, rollouts: [segmentRollout(['all'], true, 'x')] }
  t.match(tell('flag', base, present, words), [
    ['Rollout 1 is new', String, '! All has no constraints: it matches everyone.'],
  ])
})

t.test('a split says who gets another variant, and its gap who gets the default', async (t) => {
  const base = variantFlag({ rules: [rule('1', ['beta'], { blue: 50, green: 50 })] })
  const present = { ...base, rules: [rule('1', ['beta'], { blue: 60, green: 30 })] }
  t.strictSame(tell('flag', base, present, words), [
    [
      'Rule 1 splits anew',
      'If in Beta users, serve blue -50%- +60%+ and green -50%- +30%+.',
      'About 20% of those whom it answers get another variant.',
      '! The other 10% get the default, blue. Later rules are not asked.',
    ],
  ])
  t.equal(movedShare([], []), 0)
})

t.test('a variant that is deleted says what goes with it', async (t) => {
  const base = variantFlag({ rules: [rule('1', ['beta'], { blue: 70, green: 30 })] })
  const present = variantFlag({
    variants: [variant('blue', true)],
    rules: [rule('1', ['beta'], { blue: 70 })],
  })
  t.match(tell('flag', base, present, words), [
    ['Variant green is removed', undefined, '! Its 30% of Rule 1 go with it.'],
    ['Rule 1 serves blue 70%', String, String, /^! The other 30% get the default, blue/],
  ])
})

t.test('a disabled flag with variants says what is served', async (t) => {
  const base = variantFlag()
  const variants = [variant('blue'), variant('green', true)]
  const present = { ...base, enabled: false, variants }
  t.strictSame(tell('flag', base, present, words), [
    ['The flag is disabled', undefined, 'Disabled: everyone gets green.'],
    ['The default is green', '-blue- +green+', 'Disabled: everyone gets green.'],
  ])
  t.match(effectOf('flag', base, present, words), {
    told: [{ text: 'Everyone gets green, blue before.' }],
  })
})

t.test('the changes of a segment, and who comes in', async (t) => {
  const base = segmentOf({ constraints: [constraint('1', 'country', 'DE')] })
  const more = { ...base, constraints: [...base.constraints, constraint('x', 'plan', 'pro')] }
  t.strictSame(tell('segment', base, more, words), [['Constraint 2 is new', '+plan is pro+']])
  const effect = (to: typeof base, from = base) =>
    effectOf('segment', from, to, words)?.told[0]?.text
  t.match(effect(more), /^Nobody comes in/)
  t.match(
    effect({ ...more, matchType: 'ANY_MATCH_TYPE' }, { ...base, matchType: 'ANY_MATCH_TYPE' }),
    /^Nobody goes out/,
  )
  t.match(effect({ ...base, constraints: [] }), /matches everyone/)
  const list = (value: string) => ({ ...constraint('1', 'country', value), operator: 'isoneof' })
  t.strictSame(
    tell(
      'segment',
      segmentOf({ constraints: [list('["DE","FR","AT","CH"]')] }),
      segmentOf({ constraints: [list('["DE","FR","AT","PL"]')] }),
      words,
    ),
    [['Constraint 1 changes', 'country is one of 3 values -CH- +PL+']],
  )
})

t.test('names do not mark anything', async (t) => {
  const base = booleanFlag({ name: 'a' })
  t.strictSame(tell('flag', base, { ...base, name: '\ue011b\ue012' }, words), [
    ['The name changes', '-a- +b+'],
  ])
})

t.test('a change of the last decimals is one that is seen', async (t) => {
  const split = (blue: number, green: number, amber: number) =>
    variantFlag({ rules: [rule('r', ['beta'], { blue, green, amber })] })
  t.strictSame(
    tell('flag', split(33.3333, 33.3333, 33.3334), split(33.333, 33.333, 33.333), words),
    [
      [
        'Rule 1 splits anew',
        'If in Beta users, serve blue -33.3333%- +33.333%+, green -33.3333%- +33.333%+ and amber -33.3334%- +33.333%+.',
        'About 0.0019% of those whom it answers get another variant.',
        '! The other 0.001% get the default, blue. Later rules are not asked.',
      ],
    ],
  )
  const rollout = (percentage: number) =>
    booleanFlag({ rollouts: [threshold(percentage, true, '1')] })
  t.match(tell('flag', rollout(33.333), rollout(33.334), words), [
    ['Rollout 1 goes up to 33.334%', 'For -33.333%- +33.334%+ of everyone, serve On.'],
  ])
})
