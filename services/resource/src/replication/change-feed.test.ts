import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { observed } from '../testing/observed.ts'
import { openResources } from '../testing/resources.ts'
import { ChangeFeed } from './change-feed.ts'

const silent = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** What a watcher that holds nothing of a namespace is sent of it. */
function wholeOf(feed: ChangeFeed, namespaceKey = 'default') {
  const watcher = feed.join([])
  try {
    return [...(feed.changesFor(watcher, namespaceKey, undefined) ?? [])]
  } finally {
    feed.leave(watcher)
  }
}

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
  await feed.loaded
  t.match(wholeOf(feed), [{ flags: { length: 0 } }])
  await createFlag({ key: 'f', name: 'F' })
  await db.query(`UPDATE resource.flags SET created_at = 'infinity'`)
  const { completeAt } = feed
  for (let i = 0; i < 3; i += 1) {
    t.equal(await feed.refresh(), true)
    await waitFor(() => lines.length > 0)
  }
  t.match(lines, [
    [
      { err: { message: /out of range/ }, namespaceKey: 'default' },
      'cannot read the changes of a namespace; trying again',
    ],
  ])
  t.equal(lines.length, 1)
  t.match(wholeOf(feed), [{ flags: { length: 0 } }], 'what could be read last is still sent')
  t.equal(feed.completeAt, completeAt, 'and is growing old')

  await db.query(`UPDATE resource.flags SET created_at = now()`)
  await feed.refresh()
  await waitFor(() => lines.length > 1)
  t.match(wholeOf(feed), [{ flags: { length: 1 } }])
  t.match(lines.slice(1), [[{ namespaceKey: 'default' }, 'can read the namespace again']])
  await waitFor(() => feed.completeAt > completeAt)
  await feed.close()
})

t.test('a change is read once for all watchers, and not again for new ones', async (t) => {
  const { createFlag, createNamespace, revision, db } = await openResources(t)
  await createNamespace({ key: 'n', name: 'N' })
  const counts = { transactions: 0, statements: 0 }
  const database = observed(db, {
    onTransaction: () => {
      counts.transactions += 1
    },
    onRows: (_, isAlone) => {
      counts.statements += isAlone ? 1 : 0
    },
  })
  const feed = new ChangeFeed(database, silent)
  await feed.refresh()
  await feed.loaded
  t.equal(counts.transactions, 2)
  const { statements } = counts

  const before = (await revision()) ?? 0
  const watchers = Array.from({ length: 50 }, () => feed.join([]))
  for (const watcher of watchers) watcher.takeChanged()
  await createFlag({ key: 'f', name: 'F' })
  const after = (await revision()) ?? 0
  feed.onNotification(`default:${after}`)
  feed.onNotification(`default:${after}`)
  const { signal } = new AbortController()
  for (const watcher of watchers) {
    await watcher.next(10_000, signal)
    t.strictSame(watcher.takeChanged(), ['default'])
    const change = { fromRevision: before, revision: after, flags: { length: 1 } }
    t.match([...(feed.changesFor(watcher, 'default', before) ?? [])], [change])
  }
  feed.onNotification(`default:${after}`)
  t.match(wholeOf(feed), [{ fromRevision: 0, revision: after, flags: { length: 1 } }])
  t.strictSame(counts, { transactions: 3, statements })
  await feed.close()
})
