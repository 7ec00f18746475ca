import type { ChangeList } from '@svc/proto/resource/v1/changes'
import t from 'tap'
import { noContext } from '../testing/lenient.ts'
import { openResources, type Resources } from '../testing/resources.ts'

/** Context of a call by a caller of this name. */
function callOf(name: string, comment = '') {
  const caller = {
    tokenId: 't',
    principal: `id-of-${name}`,
    method: 'METHOD_TOKEN',
    name,
    namespaceKey: null,
  }
  const metadata: Record<string, string> = {
    'svc-comment-bin': comment,
    'svc-request-id': 'r-1',
    'svc-client-address': '10.0.0.7',
  }
  return { ...noContext, caller, get: (key: string) => metadata[key] }
}

const revisionsOf = ({ changes }: ChangeList) => changes.map(({ revision }) => revision)
const keysOf = ({ changes }: ChangeList) => changes.map(({ items }) => items[0]?.key)

/** Flags f1, f2, … in a namespace. */
async function makeFlags({ createFlag }: Resources, count: number, namespaceKey = 'default') {
  for (let number = 1; number <= count; number += 1) {
    await createFlag({ namespaceKey, key: `f${number}`, name: 'F' })
  }
}

t.test('a change says who made it, what differs, and the documents', async (t) => {
  const { createFlag, updateFlag, listChanges, getChange } = await openResources(t)
  await createFlag({ key: 'f', name: 'F', enabled: true })
  await updateFlag({ key: 'f', name: 'F', enabled: false }, callOf('deploys', 'incident 311'))
  const list = await listChanges({})
  const [updated, created] = list.changes
  t.match(updated, {
    actor: { id: 'id-of-deploys', method: 'METHOD_TOKEN', name: 'deploys', address: '10.0.0.7' },
    source: 'api',
    comment: 'incident 311',
    requestId: 'r-1',
    keyId: '',
    itemCount: 1,
    nextPageToken: '',
    previousHash: created?.hash,
    items: [
      {
        kind: 'FLAG_KIND',
        key: 'f',
        action: 'UPDATED_ACTION',
        changes: [{ path: 'enabled', before: 'true', after: 'false' }],
      },
    ],
  })
  t.strictSame(Object.keys(updated?.items[0] ?? {}), ['kind', 'key', 'action', 'changes'])
  t.match(created?.items, [{ action: 'CREATED_ACTION' }])
  const one = await getChange({ revision: `${updated?.revision}` })
  const texts = {
    before: '{"key":"f","name":"F","enabled":true}',
    after: '{"key":"f","name":"F"}',
  }
  t.strictSame(one, { ...updated, items: [{ ...updated?.items[0], ...texts }] })
  const { changes } = await listChanges({ documents: true })
  t.match(changes[0], one)
})

t.test('lists come in pages, the newest first, and follow from a revision', async (t) => {
  const resources = await openResources(t)
  const { listChanges } = resources
  await makeFlags(resources, 5)
  const all = revisionsOf(await listChanges({}))
  t.strictSame(
    all,
    all.toSorted((a, b) => b - a),
  )
  const read = async (request: object) => {
    const pages: number[][] = []
    for (let pageToken = ''; ; ) {
      const page = await listChanges({ ...request, limit: 2, pageToken })
      pages.push(revisionsOf(page))
      pageToken = page.nextPageToken
      if (pageToken === '') return pages
    }
  }
  t.strictSame(await read({}), [all.slice(0, 2), all.slice(2, 4), all.slice(4)])
  const oldest = all.toReversed()
  t.strictSame(await read({ after: 0 }), [oldest.slice(0, 2), oldest.slice(2, 4), oldest.slice(4)])
  t.strictSame(revisionsOf(await listChanges({ after: oldest[2] })), oldest.slice(3))
  t.strictSame(revisionsOf(await listChanges({ after: oldest[4] })), [])
  await makeFlags(resources, 1, 'default').catch(() => {})
  const { nextPageToken } = await listChanges({ limit: 2 })
  await t.rejects(listChanges({ after: 0, pageToken: nextPageToken }), { code: 'invalid_argument' })
  await t.rejects(listChanges({ source: 'api', pageToken: nextPageToken }), {
    code: 'invalid_argument',
  })
})

t.test('filters', async (t) => {
  const resources = await openResources(t)
  const { db, createFlag, updateFlag, createSegment, updateNamespace, listChanges } = resources
  await createFlag({ key: 'a', name: 'A' }, callOf('one'))
  await createFlag({ key: 'b', name: 'B' }, callOf('two'))
  await createSegment({ key: 'a', name: 'A' }, callOf('two'))
  await updateNamespace({ key: 'default', name: 'Named' }, callOf('two'))
  await updateFlag({ key: 'a', name: 'A', enabled: true }, callOf('two'))
  await updateFlag({ key: 'a', name: 'A', enabled: true }, callOf('two'))
  const list = async (request: object) => (await listChanges({ after: 0, ...request })).changes
  const [first, second] = await list({})
  const expected: readonly [object, number][] = [
    [{}, 6],
    [{ kind: 'FLAG_KIND' }, 3],
    [{ kind: 'SEGMENT_KIND' }, 1],
    [{ kind: 'NAMESPACE_KIND' }, 1],
    [{ kind: 'FLAG_KIND', key: 'a' }, 2],
    [{ kind: 'SEGMENT_KIND', key: 'a' }, 1],
    [{ kind: 'SEGMENT_KIND', key: 'b' }, 0],
    [{ actorId: 'id-of-two' }, 5],
    [{ actorId: 'id-of-two', kind: 'FLAG_KIND', key: 'a' }, 1],
    [{ actorId: 'other' }, 0],
    [{ source: 'api' }, 6],
    [{ source: 'undo' }, 0],
    [{ source: 'seed' }, 0],
    [{ since: second?.at }, 5],
    [{ until: second?.at }, 1],
    [{ since: first?.at, until: first?.at }, 0],
  ]
  for (const [request, count] of expected) {
    t.equal((await list(request)).length, count, JSON.stringify(request))
    const newest = await listChanges(request)
    t.equal(newest.changes.length, count, `newest first: ${JSON.stringify(request)}`)
  }
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ key: 'a' }, /field key: needs a kind/],
    [{ after: 1.5 }, /field after: must be a whole number/],
    [{ after: -1 }, /field after/],
    [{ limit: 501 }, /field limit/],
    [{ source: 'x' }, /field source/],
    [{ pageToken: 'x' }, /pageToken is not valid/],
  ]
  for (const [request, message] of refused) {
    await t.rejects(listChanges(request), { code: 'invalid_argument', message })
  }
  await db.query('DELETE FROM resource.actors')
  t.match(await list({ actorId: 'id-of-one' }), [
    { actor: { id: 'id-of-one', method: '', name: '' } },
  ])
})

t.test('a namespace that was deleted keeps its changes', async (t) => {
  const resources = await openResources(t)
  const { createNamespace, deleteNamespace, listChanges, getChange } = resources
  await createNamespace({ key: 'n', name: 'N' })
  await makeFlags(resources, 130, 'n')
  await deleteNamespace({ key: 'n', force: true })
  const list = await listChanges({ namespaceKey: 'n', limit: 1 })
  const [deletion] = list.changes
  t.equal(deletion?.itemCount, 131)
  t.equal(deletion?.items.length, 20, 'of a list few')
  t.match(deletion?.items[0], { action: 'DELETED_ACTION', changes: [{ path: 'key' }, {}] })
  const request = { namespaceKey: 'n', revision: `${deletion?.revision}` }
  const keys: string[] = []
  let pages = 0
  for (let pageToken = deletion?.nextPageToken; pageToken !== ''; pages += 1) {
    const page = await getChange({ ...request, pageToken })
    keys.push(...page.items.map(({ key }) => key))
    pageToken = page.nextPageToken
  }
  t.equal(pages, 2)
  t.equal(new Set([...keys, ...(deletion?.items ?? []).map(({ key }) => key)]).size, 131)
  t.equal((await getChange({ ...request, limit: 500 })).items.length, 131)
  await t.rejects(getChange({ ...request, pageToken: list.nextPageToken }), {
    code: 'invalid_argument',
  })
  await t.rejects(listChanges({ namespaceKey: 'never' }), {
    message: 'namespace "never" not found',
  })
  t.strictSame((await listChanges({})).changes, [])
})

t.test('an answer has 8 MiB of documents at most, but for a single larger one', async (t) => {
  const { createFlag, createVariant, listChanges } = await openResources(t)
  await createFlag({ key: 'large', name: 'F' })
  const attachment = (number: number) => JSON.stringify([number, 'x'.repeat(1_000_000)])
  for (let number = 1; number <= 6; number += 1) {
    await createVariant({ flagKey: 'large', key: `v${number}`, attachment: attachment(number) })
  }
  const pages: (string | undefined)[][] = []
  let most = 0
  for (let pageToken = ''; ; ) {
    const page = await listChanges({ pageToken, documents: true })
    pages.push(keysOf(page))
    const texts = page.changes.flatMap(({ items }) => items)
    const bytes = texts.reduce(
      (sum, { before = '', after = '' }) => sum + before.length + after.length,
      0,
    )
    if (page.changes.length > 1) most = Math.max(most, bytes)
    pageToken = page.nextPageToken
    if (pageToken === '') break
  }
  t.equal(pages.flat().length, 7)
  t.ok(pages.length >= 4, `${pages.length} pages`)
  t.ok(most > 0 && most <= 8 * 2 ** 20, `${most} bytes`)
})

t.test('a change that is not there: the answer says why', async (t) => {
  const { db, createFlag, createNamespace, getChange, revision } = await openResources(t)
  await createFlag({ key: 'f', name: 'F' })
  const logged = Number(await revision())
  const unlogged = async () => {
    const [row] = await db.query<{ revision: number }>(
      `UPDATE resource.namespaces SET revision = nextval('resource.revisions')
        WHERE key = 'default' RETURNING revision`,
    )
    return Number(row?.revision)
  }
  const message = async (number: number | string, namespaceKey = 'default') => {
    try {
      await getChange({ namespaceKey, revision: `${number}` })
      return 'found'
    } catch (error) {
      return error instanceof Error ? error.message : 'no error'
    }
  }
  const gap = await unlogged()
  t.equal(await message(gap), `revision ${gap} was written without the log`)
  await createFlag({ key: 'g', name: 'G' })
  t.equal(await message(gap), `revision ${gap} was written without the log`)
  t.equal(await message(logged), 'found')
  t.equal(await message(gap + 99), `change "default/${gap + 99}" not found`)
  await createNamespace({ key: 'n', name: 'N' })
  const other = Number(await revision('n'))
  t.equal(await message(other), `change "default/${other}" not found`)
  t.equal(await message(1, 'never'), 'namespace "never" not found')
  await db.query(`UPDATE resource.chains SET started_revision = 3 WHERE namespace_key = 'n'`)
  t.equal(
    await message(3, 'n'),
    'revision 3 of namespace "n" is from before the log, which began after 3',
  )
  const last = other - 1
  await db.query(`UPDATE resource.chains SET pruned_revision = $1 WHERE namespace_key = 'n'`, [
    last,
  ])
  t.match(await message(last, 'n'), `revision ${last} of namespace "n" is not kept any more: `)
  for (const text of ['0', '-1', '1.5', 'x', '01', '9007199254740993']) {
    t.match(await message(text), /invalid field revision/, text)
  }
})

t.test('a document of a later release differs as a whole', async (t) => {
  const { db, createFlag, listChanges } = await openResources(t)
  await createFlag({ key: 'f', name: 'F' })
  await db.query(
    `INSERT INTO resource.change_items (namespace_key, revision, place, kind, key, before, after)
     SELECT 'default', revision, 1, 'flag', 'later', NULL, '{"key":"later","shape":"round"}'
       FROM resource.changes`,
  )
  const [change] = (await listChanges({})).changes
  t.match(change?.items[1], {
    action: 'CREATED_ACTION',
    changes: [{ path: '', after: '{"key":"later","shape":"round"}' }],
  })
})
