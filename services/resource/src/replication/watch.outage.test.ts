import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { Copy, readEverything } from '../testing/copy.ts'
import { Link } from '../testing/link.ts'
import { openResources } from '../testing/resources.ts'
import { serveWatch } from '../testing/watching.ts'

const silent = createLogger({ level: 'silent', encoding: 'json' }, 'test')

const agesOf = ({ responses }: Copy) => responses.flatMap(({ heartbeat = [] }) => heartbeat)

t.test('while there is no database', async (t) => {
  const resources = await openResources(t)
  await resources.createFlag({ key: 'f', name: 'F' })
  const link = new Link(resources.db.url)
  await link.mend()
  const options = { name: 'test', maxConnections: 5, log: silent, acquireTimeoutMs: 1500 }
  const db = openDatabase(link.url, options)
  const { watch } = await serveWatch(t, resources, undefined, { url: link.url, db })
  t.teardown(() => db.close())
  const copy = new Copy()
  const leave = watch(copy)
  await waitFor(() => copy.isSynced)
  const everything = await readEverything(resources)
  const before = agesOf(copy).length
  await link.cut()
  const cutAt = performance.now()

  await t.test('watchers are notified at once', async (t) => {
    await waitFor(() => agesOf(copy).length > before)
    const [{ ageMs } = { ageMs: 0 }] = agesOf(copy).slice(before)
    const goneForMs = performance.now() - cutAt
    t.ok(goneForMs < 3000, `${goneForMs} ms`)
    t.ok(ageMs >= goneForMs - 100, `${ageMs} ms`)
  })

  await t.test('a new watcher is sent everything, and how old it is', async (t) => {
    const late = new Copy()
    const leaveLate = watch(late)
    await waitFor(() => late.isSynced)
    const goneForMs = performance.now() - cutAt
    t.strictSame(late.content, everything)
    const before = late.responses.findIndex(({ synced }) => synced !== undefined)
    const age = late.responses[before - 1]?.heartbeat?.ageMs ?? 0
    t.ok(age >= goneForMs - 100, `${age} ms`)
    await leaveLate()
  })

  await t.test('a watcher that is ahead keeps its state until the database is back', async (t) => {
    const ahead = new Copy()
    await resources.createFlag({ key: 'late', name: 'L' })
    const revision = (await resources.revision()) ?? 0
    ahead.namespaces.set('default', { revision, flags: new Map(), segments: new Map() })
    const leaveAhead = watch(ahead)
    await sleep(1500)
    t.strictSame(ahead.changes, [])
    t.notOk(ahead.isSynced)

    const toldBefore = agesOf(copy).length
    await link.mend()
    await waitFor(() => ahead.isSynced)
    t.strictSame(ahead.changes, [], 'and has nothing to be sent then')
    await waitFor(() => agesOf(copy).length > toldBefore)
    const { ageMs } = agesOf(copy).at(-1) ?? { ageMs: Number.POSITIVE_INFINITY }
    t.ok(ageMs < 1000, `watchers are notified that it is back: ${ageMs} ms`)
    await waitFor(() => copy.namespaces.get('default')?.flags.has('late') === true)
    await leaveAhead()
  })
  await leave()
  await link.cut()
})
