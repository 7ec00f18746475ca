import type { RolloutDocument } from '@svc/client/api'
import t from 'tap'
import { stopOf, withoutStop, withStop } from './stop.ts'

const quarter: RolloutDocument = {
  id: 'quarter',
  description: '',
  threshold: { percentage: 25, value: true },
}
const handmade: RolloutDocument = {
  id: 'handmade',
  description: 'Nobody yet',
  threshold: { percentage: 100, value: false },
}
const staff: RolloutDocument = {
  id: 'staff',
  description: '',
  segment: { segments: ['staff'], operator: 'OR_SEGMENT_OPERATOR', value: true },
}

t.test('Stop puts a rollout of 100% Off on top, once', async (t) => {
  const [stop, ...others] = withStop([quarter, handmade])
  t.match(stop, { threshold: { percentage: 100, value: false } })
  t.strictSame(others, [quarter, handmade])
  t.equal(withStop(withStop([quarter])).length, 2)
})

t.test('Resume takes away what Stop made, also when others were added since', async (t) => {
  const stopped = withStop([quarter, handmade])
  t.strictSame(withoutStop([staff, ...stopped]), [staff, quarter, handmade])
})

t.test('a rollout of 100% Off that was made by hand is no stop', async (t) => {
  t.equal(stopOf({ rollouts: [handmade, quarter] }), undefined)
  const [stop] = withStop([handmade])
  const stored = stop as RolloutDocument
  t.equal(stopOf({ rollouts: [staff, stored, handmade] }), stored)
})
