import { loadContract } from '@svc/contract'
import t from 'tap'
import { startWrites, resourceWrites as writes } from '../support/resource-writes.ts'

/** They are about several records, or none, and refuse the header. */
const ofSeveral: ReadonlySet<string> = new Set([
  ...['Apply', 'UndoChange'],
  ...['CreateDraft', 'AddOperations', 'DeleteDraft', 'ApplyDrafts'],
])

t.test('every write of the resource service is in the table', async (t) => {
  const names = loadContract().operations.flatMap(({ name, access, route, bindings }) => {
    const isWrite = access.action !== 'READ' && route.answeredBy === 'RESOURCE_SERVICE'
    return isWrite && bindings.length > 0 && !ofSeveral.has(name) ? [name] : []
  })
  t.strictSame(Object.keys(writes).toSorted(), names.toSorted())
})

t.test('a write', async (t) => {
  const send = await startWrites(t)
  const tagAt = async (path: string) => (await send(['GET', path], 'read')).headers.get('etag')

  for (const [name, { about, record, make, request, part }] of Object.entries(writes)) {
    await t.test(`${name} honours If-Match`, async (t) => {
      if (make !== undefined) await send(make, 'made')
      const write = (ifMatch?: string) => send(request, name, ifMatch)
      const refuses = async (ifMatch: string, tag: string | null, message: string) => {
        const refused = await write(ifMatch)
        t.strictSame([refused.status, refused.body], [412, { code: 9, message, details: [] }])
        t.equal(refused.headers.get('etag'), tag)
        t.equal(refused.headers.get('x-svc-revision'), tag?.slice(1, -1) ?? null)
        t.equal(await tagAt(record), tag, 'changes nothing')
      }
      const before = await tagAt(record)
      t.equal((await write('1')).status, 400, 'refuses what is no tag')
      if (before === null) {
        for (const ifMatch of ['*', '"n:1"']) {
          await refuses(ifMatch, null, `${about} does not exist`)
        }
      } else {
        const revision = before.slice(3, -1)
        await refuses('"n:1"', before, `${about} is at revision ${revision}, not 1`)
        const other = `"default:${revision}"`
        await refuses(other, before, `${about} is at revision ${revision}, not what If-Match names`)
      }
      const made = await write(before === null ? undefined : `"default:7", W/${before}`)
      t.equal(made.status, 200, made.text)
      const after = await tagAt(record)
      t.not(after, before)
      t.equal(made.headers.get('etag'), after)
      if (part !== undefined) t.equal(await tagAt(part), after)
      if (before !== null && after === null) {
        await refuses(before, null, `${about} does not exist`)
        t.equal((await write()).status, name === 'DeleteNamespace' ? 404 : 200)
      }
    })
  }
})
