import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { handlersOn, openResources } from '../testing/resources.ts'

t.test('the count of a list is exact after every change, from any process', async (t) => {
  const resources = await openResources(t)
  const { createFlag, createSegment, createNamespace, deleteNamespace, db } = resources
  const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
  const other = openDatabase(db.url, { name: 'another process', maxConnections: 1, log })
  t.teardown(() => other.close())
  const flags = async (namespaceKey = 'default') =>
    (await resources.listFlags({ namespaceKey, limit: 2 })).totalCount
  const segments = async () => (await resources.listSegments({ limit: 2 })).totalCount

  t.equal(await flags(), 0)
  for (const key of ['a', 'b', 'c']) await createFlag({ key, name: key })
  t.strictSame([await flags(), await flags(), await segments()], [3, 3, 0])
  await createSegment({ key: 's', name: 'S' })
  t.strictSame([await flags(), await segments()], [3, 1])
  await handlersOn(other).deleteFlag({ key: 'a' })
  t.strictSame([await flags(), await segments()], [2, 1])

  await createNamespace({ key: 'n', name: 'N' })
  await createFlag({ namespaceKey: 'n', key: 'a', name: 'A' })
  t.equal(await flags('n'), 1)
  await deleteNamespace({ key: 'n', force: true })
  t.equal(await flags('n'), 0)
  await createNamespace({ key: 'n', name: 'N' })
  t.equal(await flags('n'), 0)
})

t.test('a namespace is counted once for each revision', async (t) => {
  const { createFlag, listFlags, db } = await openResources(t)
  await createFlag({ key: 'a', name: 'A' })
  t.equal((await listFlags({ limit: 10 })).totalCount, 1)
  // Only a change may move the revision; this one tells whether the flags are counted again.
  await db.query(`INSERT INTO resource.flags (namespace_key, key, type, name)
                  VALUES ('default', 'unseen', 'BOOLEAN_FLAG_TYPE', 'U')`)
  t.equal((await listFlags({ limit: 10 })).totalCount, 1)
  await createFlag({ key: 'b', name: 'B' })
  t.equal((await listFlags({ limit: 10 })).totalCount, 3)
})
