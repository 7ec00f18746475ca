import type { RolloutDocument } from '@svc/client/api'
import t from 'tap'
import { withStop } from '../data/stop.ts'
import {
  booleanFlag,
  inSegments,
  percent,
  rule,
  variantFlag,
} from '../pages/flag/targeting/fixtures.test.support.ts'
import { setDefault } from '../pages/flag/targeting/split.ts'
import { stateOf } from './state.ts'

const never = () => false

t.test('a boolean flag is on for a share where that follows from its rollouts', async (t) => {
  t.match(stateOf(booleanFlag(percent('a', 31)), never), { kind: 'boolean', share: 31 })
  t.match(stateOf(booleanFlag(), never), { share: 0, isElseOn: false })
  const some = booleanFlag(inSegments('a', 'staff'), percent('b', 31))
  t.equal(Reflect.get(stateOf(some, never), 'share'), undefined, 'it depends on who is in staff')
  t.match(
    stateOf(some, () => true),
    { share: 100 },
    'everyone is in it',
  )
})

t.test('a flag is off for all only where no rollout serves On', async (t) => {
  const off = { ...booleanFlag(percent('a', 25)), enabled: false }
  t.match(stateOf(off, never), { kind: 'boolean', share: 25, isElseOn: false })
})

t.test('a flag is stopped while nothing answers before the stop', async (t) => {
  const rollouts = withStop([percent('a', 31)]) as readonly RolloutDocument[]
  const stopped = { ...booleanFlag(), rollouts }
  t.strictSame(stateOf(stopped, never), { kind: 'stopped' })
  const above = { ...stopped, rollouts: [percent('b', 10), ...rollouts] }
  t.match(stateOf(above, never), { kind: 'boolean', share: 10 })
})

t.test('a flag with variants that is disabled still gives its default', async (t) => {
  const flag = variantFlag(rule('r', { green: 100 }))
  t.strictSame(stateOf(flag, never), { kind: 'enabled', variants: 3, rules: 1 })
  t.strictSame(stateOf({ ...flag, enabled: false }, never), { kind: 'disabled', gets: 'blue' })
  t.strictSame(stateOf(setDefault({ ...flag, enabled: false }, undefined), never), {
    kind: 'disabled',
    gets: undefined,
  })
})
