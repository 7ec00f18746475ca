import { SvcError } from '@svc/client/api'
import { ApplyError } from '@svc/documents/files'
import t from 'tap'
import { readFailure } from './failed-apply.ts'

const answer = (status: number) => new SvcError('no', { status, code: 0 })
const apply = (reason: string, status?: number) => new ApplyError('no', { reason, status })

t.test('only what the service has refused is refused', async (t) => {
  t.equal(readFailure(answer(400)), 'refused')
  t.equal(readFailure(apply('too_many_namespaces')), 'refused')
  t.equal(readFailure(apply('', 409)), 'refused')
})

t.test('what others have changed is stale, also in parts', async (t) => {
  t.equal(readFailure(answer(412)), 'stale')
  t.equal(readFailure(apply('plan_changed')), 'stale')
  t.equal(readFailure(apply('', 412)), 'stale')
})

t.test('all else is not known', async (t) => {
  for (const status of [0, 500, 502, 503, 504]) t.equal(readFailure(answer(status)), 'lost')
  t.equal(readFailure(apply('still_applying')), 'lost')
  t.equal(readFailure(new TypeError('x')), 'lost')
})
