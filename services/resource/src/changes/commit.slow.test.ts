import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { noContext } from '../testing/lenient.ts'
import { openResources } from '../testing/resources.ts'
import { commitChange } from './commit.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** What each of the changes takes while it has the namespace: a database under load. */
const changeMs = 80

const settings = { kind: 'namespace', key: 'default' } as const
const target = { namespaceKey: 'default', records: [settings] }

t.test('two replicas with 40 writers each refuse none of them', async (t) => {
  const { db, revision } = await openResources(t)
  const replicas = [0, 1].map((i) =>
    openDatabase(db.url, { name: `replica ${i}`, maxConnections: 10, log }),
  )
  t.teardown(() => Promise.all(replicas.map((replica) => replica.close())).then(() => {}))
  const before = (await revision()) ?? 0
  const writers = replicas.flatMap((replica) =>
    Array.from({ length: 40 }, () =>
      commitChange(replica, target, noContext, async (tx, change) => {
        await tx.query('SELECT pg_sleep($1)', [changeMs / 1000])
        change.changed(settings)
      }),
    ),
  )
  const outcomes = await Promise.allSettled(writers)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  t.strictSame(refused, [])
  t.equal((await revision()) ?? 0, before + 80)
})
