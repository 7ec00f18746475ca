import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { waitUntilVisible } from './own-writes.ts'
import { change, inStep, openReplica } from './testing.ts'

t.test('the answer to a write', async (t) => {
  const { replica, resource } = await openReplica(t)
  const timed = async (svcRevision: string) => {
    const startedAt = performance.now()
    await waitUntilVisible(replica, svcRevision)
    return performance.now() - startedAt
  }

  await t.test('does not wait for a replica that is not current', async (t) => {
    t.ok((await timed('default:7')) < 100)
  })

  await t.test('waits until the write is shown', async (t) => {
    resource.send(change('default', [0, 5]), ...inStep())
    await waitFor(() => replica.isCurrent)
    let isOver = false
    const waiting = waitUntilVisible(replica, 'default:6').then(() => {
      isOver = true
    })
    await sleep(20)
    t.notOk(isOver)
    resource.send(change('default', [5, 6]))
    await waiting
    t.equal(replica.revisionOf('default'), 6)
  })

  await t.test('waits half a second at most, and fails not', async (t) => {
    const tookMs = await timed('default:7')
    t.ok(tookMs >= 495 && tookMs < 2000, `${tookMs} ms`)
  })

  await t.test('does not wait for a replica that has lost its stream', async (t) => {
    resource.hangUp()
    await waitFor(() => !replica.isCurrent)
    t.ok((await timed('default:8')) < 100)
  })
})
