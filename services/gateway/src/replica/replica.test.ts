import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { flagTextOf } from './namespace-state.ts'
import type { Replica, ReplicaChange } from './replica.ts'
import { change, inStep, openReplica } from './testing.ts'

/** The flags that a replica holds of a namespace, and the revisions they came with. */
function flagsOf(replica: Replica, namespaceKey = 'default'): Record<string, string> | undefined {
  const view = replica.namespace(namespaceKey)?.view()
  const flags = view?.flags.map((flag) => JSON.parse(flagTextOf(flag)))
  return flags && Object.fromEntries(flags.map(({ key, name }) => [key, name]))
}

/** A replica that holds two namespaces and is in step. */
async function openFilled(t: Test) {
  const opened = await openReplica(t)
  const { replica, resource } = opened
  resource.send(change('default', [0, 5], ['a', 'b']), change('other', [0, 3], ['x']), ...inStep())
  await waitFor(() => replica.isCurrent)
  return opened
}

t.jobs = 4

t.test('a replica that has just begun', async (t) => {
  const { replica, resource } = await openReplica(t)

  await t.test('has nothing, and is not loaded', async (t) => {
    t.strictSame(resource.requests, [{}])
    t.notOk(replica.isLoaded)
    t.notOk(replica.isCurrent)
    t.equal(replica.ageMs, Number.POSITIVE_INFINITY)
  })

  await t.test('is not loaded by the first namespaces', async (t) => {
    resource.send(change('default', [0, 5], ['a']), { heartbeat: { ageMs: 0 } })
    await waitFor(() => replica.revisionOf('default') === 5)
    await sleep(20)
    t.notOk(replica.isLoaded)
    t.notOk(replica.isCurrent)
  })

  await t.test('is loaded when the sender has sent all', async (t) => {
    resource.send(...inStep(1000))
    await waitFor(() => replica.isLoaded)
    t.ok(replica.isCurrent)
    t.equal(replica.ageMs, 1000)
  })
})

t.test('a change', async (t) => {
  const { replica, resource } = await openFilled(t)

  await t.test('replaces what it names and leaves the rest', async (t) => {
    resource.send(change('default', [5, 8], ['b', 'c'], { deletedFlagKeys: ['a'] }))
    await waitFor(() => replica.revisionOf('default') === 8)
    t.strictSame(flagsOf(replica), { b: '8', c: '8' })
    t.equal(replica.revisionOf('other'), 3)
  })

  await t.test('of several parts is seen when the last is here', async (t) => {
    resource.send(change('default', [8, 9], ['b'], { more: true }), { heartbeat: { ageMs: 0 } })
    await sleep(50)
    t.strictSame(flagsOf(replica), { b: '8', c: '8' })
    resource.send(change('default', [8, 9], ['c']))
    await waitFor(() => replica.revisionOf('default') === 9)
    t.strictSame(flagsOf(replica), { b: '9', c: '9' })
  })

  await t.test('that is known already changes nothing', async (t) => {
    resource.send(change('default', [5, 8], ['z']), change('other', [3, 4], ['y']))
    await waitFor(() => replica.revisionOf('other') === 4)
    t.strictSame(flagsOf(replica), { b: '9', c: '9' })
    t.equal(replica.revisionOf('default'), 9)
  })

  await t.test('from 0 replaces all', async (t) => {
    resource.send(change('default', [0, 12], ['d']))
    await waitFor(() => replica.revisionOf('default') === 12)
    t.strictSame(flagsOf(replica), { d: '12' })
  })

  await t.test('that does not follow what is here has it ask for what does', async (t) => {
    resource.send(change('default', [13, 14], ['e']))
    await waitFor(() => resource.requests.length === 2)
    t.strictSame(resource.requests[1], { default: 12, other: 4 })
    t.strictSame(flagsOf(replica), { d: '12' })
  })
})

t.test('a namespace that is deleted', async (t) => {
  const { replica, resource } = await openFilled(t)
  resource.send(change('other', [3, 7], [], { deleted: true }))
  await waitFor(() => replica.namespace('other') === undefined)

  await t.test('leaves the number of its deletion', async (t) => {
    t.equal(replica.revisionOf('other'), 7)
    t.equal(replica.revisionOf('never'), 0)
  })

  await t.test('may be made anew', async (t) => {
    resource.send(change('other', [0, 9], ['y']))
    await waitFor(() => replica.revisionOf('other') === 9)
    t.strictSame(flagsOf(replica, 'other'), { y: '9' })
  })
})

t.test('when the stream breaks', async (t) => {
  const { replica, clock, resource } = await openFilled(t)
  resource.send(change('default', [5, 6], ['a'], { more: true }))
  await sleep(20)
  resource.hangUp()
  await waitFor(() => !replica.isCurrent)

  await t.test('what is here stays, and is said to be old', async (t) => {
    t.ok(replica.isLoaded)
    t.strictSame(flagsOf(replica), { a: '5', b: '5' })
    const before = replica.ageMs
    clock.nowMs += 20
    t.equal(replica.ageMs, before + 20)
  })

  await t.test('resumes from what is here; half a change is not', async (t) => {
    await waitFor(() => resource.requests.length === 2)
    t.strictSame(resource.requests[1], { default: 5, other: 3 })
    resource.send(change('default', [5, 6], ['b']))
    await waitFor(() => replica.revisionOf('default') === 6)
    t.strictSame(flagsOf(replica), { a: '5', b: '6' })
  })

  await t.test('is current again when the sender has sent all', async (t) => {
    t.notOk(replica.isCurrent)
    resource.send(...inStep())
    await waitFor(() => replica.isCurrent)
    t.equal(replica.ageMs, 0)
  })
})

t.test('the age', async (t) => {
  const { replica, clock, resource } = await openReplica(t)
  resource.send(change('default', [0, 5]), ...inStep(6500))
  await waitFor(() => replica.isLoaded)

  await t.test('makes it stale when nothing newer is received for 7 seconds', async (t) => {
    clock.nowMs += 499
    t.ok(replica.isCurrent)
    clock.nowMs += 1
    t.notOk(replica.isCurrent)
    t.equal(replica.ageMs, 7000)
  })

  await t.test('does not grow by a heartbeat of a sender that lags behind', async (t) => {
    resource.send({ heartbeat: { ageMs: 60_000 } }, change('default', [5, 6]))
    await waitFor(() => replica.revisionOf('default') === 6)
    t.equal(replica.ageMs, 7000)
  })

  await t.test('is that of the last heartbeat', async (t) => {
    resource.send({ heartbeat: { ageMs: 10 } })
    await waitFor(() => replica.isCurrent)
    t.equal(replica.ageMs, 10)
  })
})

t.test('a listener', async (t) => {
  const { replica, resource } = await openFilled(t)
  const received: ReplicaChange[] = []
  const end = replica.onChange((change) => {
    t.ok(replica.revisionOf(change.namespaceKey) === change.revision, 'it is here by then')
    received.push(change)
  })

  await t.test('gets each change with its age, in their order', async (t) => {
    resource.send(
      change('default', [5, 6], ['a'], { committedMsAgo: 40 }),
      change('other', [3, 7], [], { deleted: true }),
      change('default', [0, 8], ['c'], { committedMsAgo: 0 }),
    )
    await waitFor(() => received.length === 3)
    t.strictSame(received, [
      { namespaceKey: 'default', revision: 6, ageMs: 40 },
      { namespaceKey: 'other', revision: 7, ageMs: undefined },
      { namespaceKey: 'default', revision: 8, ageMs: 0 },
    ])
  })

  await t.test('gets nothing after its end', async (t) => {
    end()
    resource.send(change('default', [8, 9], ['c']))
    await waitFor(() => replica.revisionOf('default') === 9)
    t.equal(received.length, 3)
  })
})

t.test('a wait for a revision', async (t) => {
  const { replica, resource } = await openFilled(t)

  await t.test('is over when it or a later one is here', async (t) => {
    t.ok(await replica.waitFor('default', 5, 0))
    t.ok(await replica.waitFor('default', 4, 0))
    t.ok(await replica.waitFor('never', 0, 0))
  })

  await t.test('ends when it or a later one comes', async (t) => {
    const waiting = Promise.all([
      replica.waitFor('default', 6, 5000),
      replica.waitFor('default', 7, 5000),
    ])
    resource.send(change('default', [5, 7], ['a']))
    t.strictSame(await waiting, [true, true])
  })

  await t.test('ends when the namespace is deleted', async (t) => {
    const waiting = replica.waitFor('other', 9, 5000)
    resource.send(change('other', [3, 9], [], { deleted: true }))
    t.ok(await waiting)
    t.ok(await replica.waitFor('other', 9, 0))
  })

  await t.test('ends after its timeout', async (t) => {
    const waiting = replica.waitFor('default', 100, 100)
    resource.send(change('default', [7, 8], ['a']), change('new', [0, 200]))
    t.notOk(await waiting)
  })
})
