import type { Database } from '@svc/database'
import { FlagState } from '@svc/proto/resource/v1/watch'
import t from 'tap'
import { observed } from '../testing/observed.ts'
import { openResources } from '../testing/resources.ts'
import { type NamespaceDelta, readChangesSince } from './changes-since.store.ts'

async function readChange(
  db: Database,
  namespaceKey: string,
  since: number,
): Promise<NamespaceDelta> {
  const delta = await readChangesSince(db, namespaceKey, since)
  if (delta.deleted) throw new Error(`there is no ${namespaceKey}`)
  return delta
}

const flagKeys = ({ flags }: NamespaceDelta) =>
  flags.map(({ key, state }) => {
    const { flag } = FlagState.decode(state)
    return flag?.key === key ? key : `${key} is not ${flag?.key}`
  })

t.test('changes are as of one moment, while writers continue', async (t) => {
  const { createFlag, createSegment, deleteFlag, revision, db } = await openResources(t)
  await createFlag({ key: 'first', name: 'F' })
  const since = (await revision()) ?? 0
  await createFlag({ key: 'second', name: 'S' })
  const before = await revision()
  let interruptions = 0
  const delta = await readChange(
    observed(db, {
      async onRows() {
        interruptions += 1
        const key = `late-${interruptions}`
        await createFlag({ key, name: 'L' })
        await createSegment({ key, name: 'L' })
        await deleteFlag({ key: 'first' })
      },
    }),
    'default',
    since,
  )
  t.ok(interruptions > 2)
  t.equal(delta.revision, before)
  t.strictSame(flagKeys(delta), ['second'])
  t.strictSame([delta.segments, delta.tombstones], [[], []])
})

t.test('changes are all there, however many there are', async (t) => {
  const { revision, db } = await openResources(t)
  const since = (await revision()) ?? 0
  // So that the pages, of 100, end within a revision as well as at its end.
  await db.query(
    `INSERT INTO resource.flags (namespace_key, key, type, name, revision)
     SELECT 'default', 'f' || n, 'BOOLEAN_FLAG_TYPE', 'F', $1 + 1 + n / 300
       FROM generate_series(1, 1500) AS n`,
    [since],
  )
  await db.query(`UPDATE resource.namespaces SET revision = revision + 100`)
  for (const from of [0, since]) {
    const delta = await readChange(db, 'default', from)
    t.equal(delta.fromRevision, from)
    t.equal(flagKeys(delta).length, 1500)
    t.equal(new Set(flagKeys(delta)).size, 1500)
  }
  t.equal(flagKeys(await readChange(db, 'default', since + 3)).length, 601)
})

t.test('no statement reads much more than 4 MiB, however much there is to read', async (t) => {
  const { db, createFlag, createVariant, createSegment, createConstraint } = await openResources(t)
  const attachment = JSON.stringify('x'.repeat(1_000_000))
  for (let i = 0; i < 5; i += 1) {
    await createFlag({ key: `large-${i}`, name: 'L' })
    for (const key of ['a', 'b']) await createVariant({ flagKey: `large-${i}`, key, attachment })
    await createFlag({ key: `small-${i}`, name: 'S' })
  }
  await createFlag({ key: 'huge', name: 'H' })
  for (let i = 0; i < 6; i += 1) await createVariant({ flagKey: 'huge', key: `v${i}`, attachment })
  const value = JSON.stringify(['y'.repeat(250_000)])
  const type = 'STRING_COMPARISON_TYPE'
  for (let i = 0; i < 6; i += 1) {
    await createSegment({ key: `s${i}`, name: 'S' })
    const constraint = { type, property: 'p', operator: 'isoneof', value } as const
    for (let j = 0; j < 3; j += 1) await createConstraint({ segmentKey: `s${i}`, ...constraint })
  }
  const answers: number[] = []
  const delta = await readChange(
    observed(db, { onRows: (rows) => void answers.push(JSON.stringify(rows).length) }),
    'default',
    0,
  )
  t.equal(new Set(flagKeys(delta)).size, 11)
  t.equal(delta.segments.length, 6)
  const [largest = 0, second = 0] = answers.toSorted((a, b) => b - a)
  t.ok(largest < 6.1e6, 'one flag may take more')
  t.ok(second < 4.3e6, `${second} bytes`)
})
