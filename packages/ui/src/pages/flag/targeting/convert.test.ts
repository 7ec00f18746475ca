import t from 'tap'
import { rulesOf, toVariantFlag } from './convert.ts'
import { booleanFlag, inSegments, percent } from './fixtures.test.support.ts'

const flag = booleanFlag(inSegments('a', 'staff'), percent('b', 25), inSegments('c', 'eu', 'us'))

const said = (rules: ReturnType<typeof rulesOf>) =>
  rules.map(({ segments, distributions }) => [
    segments.join(' or '),
    ...distributions.map(({ variant, rollout }) => `${variant} ${rollout}`),
  ])

t.test('a flag with variants gives everyone what the boolean one does', async (t) => {
  const made = toVariantFlag({ ...flag, metadata: { tags: ['shop'] } }, 'new', 'New')
  t.match(made, { key: 'new', name: 'New', enabled: true, metadata: { tags: ['shop'] } })
  t.strictSame(
    made.variants?.map((one) => [one.key, one.default]),
    [
      ['on', false],
      ['off', true],
    ],
  )
})

t.test('a share of a segment takes the place of a rollout, or comes last', async (t) => {
  t.strictSame(said(rulesOf(flag, { segments: ['staff'], percentage: 25, replaces: 'a' })), [
    ['staff', 'on 25', 'off 75'],
    ['eu or us', 'on 100'],
  ])
  t.strictSame(said(rulesOf(flag, { segments: ['fr'], percentage: 100 })), [
    ['staff', 'on 100'],
    ['eu or us', 'on 100'],
    ['fr', 'on 100'],
  ])
})
