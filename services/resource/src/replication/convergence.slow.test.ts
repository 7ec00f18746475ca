import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { Copy, readEverything } from '../testing/copy.ts'
import { persist } from '../testing/persistence.ts'
import type { Resources } from '../testing/resources.ts'
import { openWatched, type Watched } from '../testing/watching.ts'

const writers = 200
const changesEach = 3
const namespaces = ['default', 'other', 'brief'] as const

function pick<T>(choices: readonly T[]): T {
  const choice = choices[Math.floor(Math.random() * choices.length)]
  if (choice === undefined) throw new Error('nothing to pick from')
  return choice
}

/** One of everything that can be done, to one of a few things, so that writers meet. */
async function changeSomething(resources: Resources): Promise<void> {
  const namespaceKey = pick(namespaces)
  const flagKey = `flag-${pick([1, 2, 3, 4, 5, 6])}`
  const segmentKey = `segment-${pick([1, 2, 3])}`
  const flag = { namespaceKey, key: flagKey, name: 'Flag' }
  const segment = { namespaceKey, key: segmentKey, name: 'Segment' }
  const inFlag = { namespaceKey, flagKey }
  const rank = 1 + Math.floor(Math.random() * 1000)
  const type = 'BOOLEAN_COMPARISON_TYPE'
  const constraint = { namespaceKey, segmentKey, type, property: 'p', operator: 'true' } as const
  await pick([
    () => resources.createFlag(flag),
    () => resources.createFlag(flag),
    () => resources.updateFlag(flag),
    () => resources.deleteFlag(flag),
    () => resources.createVariant({ ...inFlag, key: `v${rank}` }),
    () => resources.createSegment(segment),
    () => resources.createSegment(segment),
    () => resources.deleteSegment(segment),
    () => resources.createConstraint(constraint),
    () => resources.createRule({ ...inFlag, segmentKey, rank }),
    () => resources.createRollout({ ...inFlag, rank, segment: { segmentKey } }),
    () => resources.updateRollout({ ...inFlag, threshold: { percentage: rank / 10 } }),
    () => resources.createNamespace({ key: 'brief', name: 'Brief' }),
    () => resources.deleteNamespace({ key: 'brief', force: true }),
  ])()
}

/** A refusal because another writer was faster is expected; a fault is not. */
async function writeOften(resources: Resources): Promise<void> {
  for (let i = 0; i < changesEach; i += 1) {
    await persist(() => changeSomething(resources)).catch((error: { code?: string }) => {
      const refusals = ['already_exists', 'not_found', 'invalid_argument']
      if (!refusals.includes(error.code ?? '')) throw error
    })
  }
}

async function reconnectOften({ watch }: Watched, copy: Copy, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    const leave = watch(copy)
    await sleep(Math.random() * 100)
    await leave()
  }
}

t.test('watchers end with what is in the database, however they came by it', async (t) => {
  const resources = await openWatched(t)
  await resources.createNamespace({ key: 'other', name: 'Other' })
  const early = new Copy()
  const late = new Copy()
  const restless = new Copy()
  const leaves = [resources.watch(early)]
  const writing = Promise.all(Array.from({ length: writers }, () => writeOften(resources)))
  const reconnecting = reconnectOften(resources, restless, 10)
  await sleep(Math.random() * 1000)
  leaves.push(resources.watch(late))
  await Promise.all([writing, reconnecting])
  leaves.push(resources.watch(restless))

  const everything = await readEverything(resources)
  const last = await readRevisions(resources)
  for (const [name, copy] of Object.entries({ early, late, restless })) {
    await t.test(name, async (t) => {
      await waitFor(() => JSON.stringify(sorted(copy.revisions)) === JSON.stringify(last))
      t.strictSame(copy.content, everything)
    })
  }

  await t.test('and saw revisions of a namespace in ascending order only', async (t) => {
    for (const namespaceKey of namespaces) {
      const seen = early.changes.filter((change) => change.namespaceKey === namespaceKey)
      const revisions = seen.map(({ revision }) => revision)
      t.strictSame(
        revisions,
        revisions.toSorted((a, b) => a - b),
      )
    }
  })
  for (const leave of leaves) await leave()
})

async function readRevisions({ db }: Resources): Promise<Record<string, number>> {
  const rows = await db.query<{ key: string; revision: number }>(
    'SELECT key, revision FROM resource.namespaces',
  )
  return sorted(Object.fromEntries(rows.map(({ key, revision }) => [key, revision])))
}

function sorted(revisions: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(revisions).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
