import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { flagHandlers } from '../flags/flags.ts'
import { ruleHandlers } from '../rules/rules.ts'
import { observed } from '../testing/observed.ts'
import { handlersOn, openResources } from '../testing/resources.ts'
import { orderByNumbers } from './order.ts'
import { toPage } from './paging.ts'

const unsorted = (columns: string[]) => ({ queryName: '', order: orderByNumbers(columns) })
const byPosition = unsorted(['position'])
const nothing = { limit: 0, offset: 0, pageToken: '' }
const toToken = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

t.test('toPage', async (t) => {
  await t.test('starts at the beginning without a token', async (t) => {
    const expected = { limit: 10, offset: 3, after: [0, 0], maxBytes: 2 ** 23 }
    t.strictSame(
      toPage({ ...nothing, limit: 10, offset: 3 }, unsorted(['rank', 'position'])),
      expected,
    )
  })

  await t.test('ignores the offset when there is a token', async (t) => {
    const request = { limit: 10, offset: 3, pageToken: toToken([7]) }
    t.match(toPage(request, byPosition), { limit: 10, offset: 0, after: [7] })
  })

  await t.test('needs a limit for an offset or a token', async (t) => {
    const message = 'limit must be set when offset or pageToken is set'
    const refused = { code: 'invalid_argument', message }
    t.throws(() => toPage({ ...nothing, offset: 1 }, byPosition), refused)
    t.throws(() => toPage({ ...nothing, pageToken: toToken([7]) }, byPosition), refused)
  })

  await t.test('quotes a token that is none, also without a limit', async (t) => {
    const ofReference = 'eyJrZXkiOiJmbGFnXzAxMSIsIm9mZnNldCI6MTB9'
    const strange = [
      toToken([7, 8]),
      toToken(7),
      toToken(['7']),
      toToken([0.5]),
      toToken([2 ** 60]),
    ]
    for (const pageToken of ['Hello World', ofReference, `${toToken([7])}=`, ...strange]) {
      const refused = { message: `pageToken is not valid: "${pageToken}"` }
      t.throws(() => toPage({ ...nothing, limit: 1, pageToken }, byPosition), refused)
      t.throws(() => toPage({ ...nothing, pageToken }, byPosition), refused)
    }
  })

  await t.test('does not quote more than a line', async (t) => {
    const message = `pageToken is not valid: "${'x'.repeat(255)}…"`
    const pageToken = 'x'.repeat(100_000)
    t.throws(() => toPage({ ...nothing, limit: 1, pageToken }, byPosition), { message })
  })
})

t.test('a list of 57 flags', async (t) => {
  const { createFlag, deleteFlag, listFlags, db } = await openResources(t)
  await db.query(`INSERT INTO resource.flags (namespace_key, key, type, name)
                  SELECT 'default', 'flag_' || n, 'BOOLEAN_FLAG_TYPE', 'Flag'
                    FROM generate_series(1, 57) AS n`)
  const all = Array.from({ length: 57 }, (_, index) => `flag_${index + 1}`)
  const keys = ({ flags }: { flags: { key: string }[] }) => flags.map(({ key }) => key)

  await t.test('comes whole without a limit', async (t) => {
    const list = await listFlags({})
    t.strictSame(keys(list), all)
    t.match(list, { totalCount: 57, nextPageToken: '' })
  })

  for (const limit of [1, 10, 19, 56, 57, 58]) {
    await t.test(`comes in pages of ${limit}, none of them empty`, async (t) => {
      const seen: string[] = []
      let pages = 0
      for (let pageToken = ''; ; ) {
        const list = await listFlags({ limit, pageToken })
        t.equal(list.totalCount, 57)
        seen.push(...keys(list))
        pages += 1
        pageToken = list.nextPageToken
        if (pageToken === '') break
      }
      t.strictSame(seen, all)
      t.equal(pages, Math.ceil(57 / limit))
    })
  }

  await t.test('can be entered anywhere', async (t) => {
    t.strictSame(keys(await listFlags({ limit: 2, offset: 55 })), all.slice(55))
    t.strictSame(keys(await listFlags({ limit: 2, offset: 10 })), all.slice(10, 12))
  })

  await t.test('counts also where there is nothing more', async (t) => {
    const beyond = { flags: [], totalCount: 57, nextPageToken: '' }
    t.strictSame(await listFlags({ limit: 2, offset: 100 }), beyond)
  })

  await t.test('shows each flag once, though flags come and go between pages', async (t) => {
    const first = await listFlags({ limit: 30 })
    await deleteFlag({ key: 'flag_3' })
    await deleteFlag({ key: 'flag_30' })
    await createFlag({ key: 'late', name: 'Late' })
    const second = await listFlags({ limit: 30, pageToken: first.nextPageToken })
    t.strictSame([...keys(first), ...keys(second)], [...all, 'late'])
  })

  await t.test('takes the largest numbers that there are', async (t) => {
    const most = 2 ** 31 - 1
    t.equal((await listFlags({ limit: most })).flags.length, 56)
    t.equal((await listFlags({ limit: most, offset: most })).flags.length, 0)
    const pageToken = toToken([Number.MAX_SAFE_INTEGER])
    t.equal((await listFlags({ limit: most, pageToken })).flags.length, 0)
  })
})

t.test('a list takes one statement, however much is in it', async (t) => {
  const { createFlag, createVariant, createSegment, createRule, db } = await openResources(t)
  await createSegment({ key: 's', name: 'S' })
  for (const key of ['a', 'b', 'c']) {
    await createFlag({ key, name: key })
    await createVariant({ flagKey: key, key: 'v' })
    await createRule({ flagKey: 'a', segmentKey: 's', rank: 1 })
  }
  let statements = 0
  const counting = observed(db, {
    onRows: () => {
      statements += 1
    },
  })
  const page = { namespaceKey: '', limit: 2, offset: 0, pageToken: '', reference: '' }
  const all = { ...page, q: '', tags: [], owner: '', sort: '', segment: '', view: '' }
  await flagHandlers(counting).listFlags(all)
  t.equal(statements, 1)
  await ruleHandlers(counting).listRules({ ...page, flagKey: 'a' })
  t.equal(statements, 2)
  const found = { ...all, q: 'A', enabled: false, sort: '-updatedAt' }
  const { totalCount } = await flagHandlers(counting).listFlags(found)
  t.strictSame([statements, totalCount], [3, 1], 'also with a filter, and its total')
})

t.test('every list keeps to the same rules', async (t) => {
  const resources = await openResources(t)
  const lists: Record<string, (page: object) => Promise<unknown>> = {
    listNamespaces: resources.listNamespaces,
    listFlags: resources.listFlags,
    listSegments: resources.listSegments,
    listRules: (page) => resources.listRules({ flagKey: 'f', ...page }),
    listRollouts: (page) => resources.listRollouts({ flagKey: 'f', ...page }),
  }
  for (const [name, list] of Object.entries(lists)) {
    await t.test(name, async (t) => {
      if (name !== 'listNamespaces') {
        const empty = { totalCount: 0, nextPageToken: '' }
        t.match(await list({ namespaceKey: 'nope' }), empty, 'nothing of what does not exist')
      }
      const invalid = { message: 'pageToken is not valid: "Hello World"' }
      await t.rejects(list({ pageToken: 'Hello World' }), invalid)
      await t.rejects(list({ limit: 10, pageToken: 'Hello World' }), invalid)
      const message = 'limit must be set when offset or pageToken is set'
      await t.rejects(list({ offset: 1 }), { message })
      const negative = "must be greater than or equal to '0'"
      await t.rejects(list({ limit: -1 }), { message: `invalid field limit: ${negative}` })
      await t.rejects(list({ limit: 1, offset: -1 }), {
        message: `invalid field offset: ${negative}`,
      })
    })
  }
})

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
  await handlersOn(other).deleteSegment({ key: 's' })
  t.strictSame([await flags(), await segments()], [2, 0])

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
  // Only a change may move the revision; this one shows whether the flags are counted again.
  await db.query(`INSERT INTO resource.flags (namespace_key, key, type, name)
                  VALUES ('default', 'unseen', 'BOOLEAN_FLAG_TYPE', 'U')`)
  t.equal((await listFlags({ limit: 10 })).totalCount, 1)
  await createFlag({ key: 'b', name: 'B' })
  t.equal((await listFlags({ limit: 10 })).totalCount, 3)
})
