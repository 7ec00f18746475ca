import t from 'tap'
import { rule, variantFlag } from './fixtures.test.support.ts'
import {
  addRule,
  addShare,
  defaultOf,
  gapOf,
  giveRest,
  onlyVariantOf,
  rangesOf,
  removeShare,
  serveVariant,
  setDefault,
  setShare,
  splitEvenly,
  toSplit,
} from './split.ts'

type Flag = ReturnType<typeof variantFlag>
const sharesOf = (flag: Flag) =>
  Object.fromEntries(
    flag.rules[0]?.distributions.map(({ variant, rollout }) => [variant, rollout]) ?? [],
  )
const gapIn = (flag: Flag) => gapOf(flag.rules[0]?.distributions ?? [])

t.test('the gap of a split', async (t) => {
  t.equal(gapIn(variantFlag(rule('r', { blue: 45, green: 45 }))), 10)
  t.equal(gapIn(variantFlag(rule('r', { blue: 60, green: 40 }))), 0)
  t.equal(gapIn(variantFlag(rule('r', { blue: 60, green: 50 }))), -10, 'more than there is')
  t.equal(gapIn(variantFlag(rule('r', { blue: 33.33, green: 33.33, amber: 33.34 }))), 0)
  t.equal(gapIn(variantFlag(rule('r', {}))), 100)
})

t.test('the rest goes to a variant', async (t) => {
  const flag = variantFlag(rule('r', { blue: 45, green: 45 }))
  t.strictSame(sharesOf(giveRest(flag, 'r', 'blue')), { blue: 55, green: 45 })
  t.strictSame(sharesOf(giveRest(flag, 'r', 'amber')), { blue: 45, green: 45, amber: 10 })
  const full = variantFlag(rule('r', { blue: 100 }))
  t.strictSame(sharesOf(giveRest(full, 'r', 'green')), { blue: 100 }, 'there is none')
})

t.test('shares that are even are all of it', async (t) => {
  const three = variantFlag(rule('r', { blue: 1, green: 1, amber: 1 }))
  t.strictSame(sharesOf(splitEvenly(three, 'r')), { blue: 33.34, green: 33.33, amber: 33.33 })
  t.equal(gapIn(splitEvenly(three, 'r')), 0)
})

t.test('one variant becomes a split, and a split one variant', async (t) => {
  const one = variantFlag(rule('r', { green: 100 }))
  t.equal(one.rules[0] && onlyVariantOf(one.rules[0]), 'green')
  const split = toSplit(one, 'r')
  t.strictSame(sharesOf(split), { green: 50, blue: 50 })
  t.equal(split.rules[0] && onlyVariantOf(split.rules[0]), undefined)
  const back = serveVariant(split, 'r', 'amber')
  t.strictSame(sharesOf(back), { amber: 100 })
  t.equal(back.rules[0]?.distributions[0]?.id, 'r-green', 'it stays the same share')
})

t.test('variants come and go', async (t) => {
  const flag = variantFlag(rule('r', { blue: 60, green: 30 }))
  t.strictSame(sharesOf(addShare(flag, 'r', 'amber')), { blue: 60, green: 30, amber: 10 })
  t.strictSame(sharesOf(addShare(flag, 'r', 'green')), { blue: 60, green: 30 }, 'it is there')
  t.strictSame(sharesOf(removeShare(flag, 'r', 'green')), { blue: 60 })
  t.strictSame(sharesOf(setShare(flag, 'r', 'green', 40)), { blue: 60, green: 40 })
})

t.test('where shares are', async (t) => {
  const { distributions = [] } = rule('r', { blue: 60, green: 30, amber: 20 })
  t.strictSame(rangesOf(distributions), [
    [0, 60],
    [60, 90],
    [90, 100],
  ])
})

t.test('a new rule gives what the default does not', async (t) => {
  t.strictSame(sharesOf(addRule(variantFlag(), 'eu')), { green: 100 })
  t.strictSame(sharesOf(addRule({ ...variantFlag(), variants: [] }, 'eu')), {})
})

t.test('the default', async (t) => {
  t.equal(defaultOf(variantFlag()), 'blue')
  t.equal(defaultOf(setDefault(variantFlag(), 'amber')), 'amber')
  t.equal(defaultOf(setDefault(variantFlag(), undefined)), undefined)
})
