import { createLogger } from '@svc/runtime'
import t from 'tap'
import { openResources } from '../testing/resources.ts'
import { ChangeFeed } from './change-feed.ts'

t.test('a namespace that cannot be read is no absence of the database', async (t) => {
  const { createFlag, db } = await openResources(t)
  const lines: unknown[][] = []
  const note = (...line: unknown[]) => lines.push(line)
  const log = Object.assign(createLogger({ level: 'warn', encoding: 'json' }, 'test'), {
    info: note,
    warn: note,
  })
  const feed = new ChangeFeed(db, log)
  await feed.refresh()
  await createFlag({ key: 'f', name: 'F' })
  await db.query(`UPDATE resource.flags SET created_at = 'infinity'`)
  t.equal(await feed.changesSince('default', 0), undefined)
  t.equal(await feed.changesSince('default', 0), undefined)
  t.equal(await feed.refresh(), true)
  t.match(lines, [
    [
      { err: { message: /infinity/ }, namespaceKey: 'default' },
      'cannot read the changes of a namespace; trying again',
    ],
  ])
  t.equal(lines.length, 1)

  await db.query(`UPDATE resource.flags SET created_at = now()`)
  t.equal((await feed.changesSince('default', 0))?.length, 1)
  t.match(lines.slice(1), [[{ namespaceKey: 'default' }, 'can read the namespace again']])
})
