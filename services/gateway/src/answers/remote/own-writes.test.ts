import t from 'tap'
import type { Replica } from '../../replica/replica.ts'
import { waitUntilVisible } from './answerer.ts'

/** The waits that the answer to a write asks a replica for; none of them succeeds. */
async function waitsFor(svcRevision: string, isCurrent: boolean) {
  const waits: unknown[] = []
  const replica = {
    isCurrent,
    waitFor: async (...wait: unknown[]) => {
      waits.push(wait)
      return false
    },
  }
  await waitUntilVisible(replica as unknown as Replica, svcRevision)
  return waits
}

t.test('the answer to a write', async (t) => {
  await t.test('waits half a second at most, and does not fail', async (t) => {
    t.strictSame(await waitsFor('default:7', true), [['default', 7, 500]])
  })

  await t.test('does not wait for a replica that is not current', async (t) => {
    t.strictSame(await waitsFor('default:7', false), [])
  })
})
