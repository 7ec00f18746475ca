import { ChainKeys } from '@svc/audit'
import { readDocument } from '@svc/documents'
import t, { type Test } from 'tap'
import { noContext } from '../testing/lenient.ts'
import { hashesOf, readLog } from '../testing/log.ts'
import { openResources } from '../testing/resources.ts'
import { configureLog } from './log-settings.ts'

/** Context of a call of a known caller, with metadata. */
function callOf(metadata: Readonly<Record<string, string>> = {}, name = 'deploys') {
  const caller = {
    tokenId: 't',
    principal: 'p',
    method: 'METHOD_TOKEN',
    name,
    namespaceKey: null,
  }
  return { ...noContext, caller, get: (key: string) => metadata[key] }
}

t.test('a change is logged with what it did, who made it and why', async (t) => {
  const resources = await openResources(t)
  const { db, createFlag, updateFlag, deleteFlag } = resources
  const call = callOf({
    'svc-comment-bin': 'incident 311: off, für heute',
    'svc-request-id': 'r-1',
    'svc-client-address': '10.0.0.7',
  })
  await createFlag({ key: 'f', name: 'F', metadata: { team: 'a' } }, call)
  await updateFlag({ key: 'f', name: 'F', enabled: true }, call)
  await deleteFlag({ key: 'f' })
  const [created, updated, deleted] = await readLog(db)
  const item = { kind: 'flag', key: 'f' }
  const before = '{"key":"f","name":"F","metadata":{"team":"a"}}'
  const after = '{"key":"f","name":"F","enabled":true,"metadata":{"team":"a"}}'
  t.match(created, { items: [{ ...item, before: null, after: before }] })
  t.match(updated, {
    revision: Number(created?.revision) + 1,
    actor: 'p',
    address: '10.0.0.7',
    source: 'api',
    comment: 'incident 311: off, für heute',
    requestId: 'r-1',
    details: null,
    keyId: '',
    items: [{ ...item, before, after }],
  })
  t.match(deleted, {
    actor: 'anonymous',
    address: null,
    comment: '',
    items: [{ ...item, before: after, after: null }],
  })
  const actors = await db.query('SELECT id, method, name FROM resource.actors ORDER BY id')
  t.strictSame(actors, [
    { id: 'anonymous', method: 'anonymous', name: '' },
    { id: 'p', method: 'METHOD_TOKEN', name: 'deploys' },
  ])
})

t.test('what changes nothing has no items, and what is not there no change', async (t) => {
  const { db, createFlag, updateFlag, deleteFlag, deleteNamespace } = await openResources(t)
  await createFlag({ key: 'f', name: 'F' })
  await updateFlag({ key: 'f', name: 'F' })
  await deleteFlag({ key: 'missing' })
  await t.rejects(updateFlag({ key: 'missing', name: 'F' }))
  await t.rejects(deleteNamespace({ key: 'missing' }))
  const log = await readLog(db)
  t.strictSame(
    log.map(({ items }) => items.length),
    [1, 0],
  )
})

t.test('names of actors follow them, and erased ones stay away from the chain', async (t) => {
  const { db, createFlag } = await openResources(t)
  await createFlag({ key: 'f', name: 'F' }, callOf({}, 'old'))
  await createFlag({ key: 'g', name: 'G' }, callOf({}, 'new'))
  t.match(await db.query('SELECT name FROM resource.actors'), [{ name: 'new' }])
  await db.query('DELETE FROM resource.actors')
  const log = await readLog(db)
  t.strictSame(
    hashesOf(log),
    log.map(({ hash }) => hash),
  )
})

t.test('a name with U+0000, of a JWT, is left out, and the change is made', async (t) => {
  const { db, createFlag } = await openResources(t)
  await createFlag({ key: 'f', name: 'F' }, callOf({}, 'a\0b'))
  t.match(await db.query('SELECT id, name FROM resource.actors'), [{ id: 'p', name: '' }])
})

t.test('a comment that is too long, or no text, is refused', async (t) => {
  const { db, createFlag } = await openResources(t)
  for (const comment of ['x'.repeat(4097), 'ü'.repeat(2049), 'a\0b']) {
    const call = callOf({ 'svc-comment-bin': comment })
    await t.rejects(createFlag({ key: 'f', name: 'F' }, call), { code: 'invalid_argument' })
  }
  await createFlag({ key: 'f', name: 'F' }, callOf({ 'svc-comment-bin': 'ü'.repeat(2048) }))
  t.equal((await readLog(db)).length, 1)
})

t.test('the chain', async (t) => {
  const { db, createFlag, createNamespace, deleteNamespace, updateNamespace } =
    await openResources(t)
  const keys = new ChainKeys('a-key-of-this-test')
  const holds = async (t: Test, namespaceKey: string) => {
    const log = await readLog(db, namespaceKey)
    const hashes = hashesOf(log, namespaceKey, keys)
    t.strictSame(
      hashes,
      log.map(({ hash }) => hash),
    )
    t.strictSame(
      log.slice(1).map(({ previousHash }) => previousHash),
      hashes.slice(0, -1),
    )
    const [head] = await db.query<object>(
      'SELECT revision, hash FROM resource.chains WHERE namespace_key = $1',
      [namespaceKey],
    )
    const { revision, hash } = log.at(-1) ?? {}
    t.strictSame(head, { revision, hash })
    return log
  }

  await t.test('goes on when its namespace is deleted and made anew', async (t) => {
    await createNamespace({ key: 'n', name: 'N', color: 'blue' })
    await createFlag({ namespaceKey: 'n', key: 'f', name: 'F' })
    await deleteNamespace({ key: 'n', force: true })
    await createNamespace({ key: 'n', name: 'N' })
    const log = await holds(t, 'n')
    const ofSettings = { kind: 'namespace', key: 'n' }
    t.match(
      log.map(({ items, details }) => ({ items, details })),
      [
        {
          items: [{ ...ofSettings, before: null, after: '{"name":"N","color":"blue"}' }],
          details: null,
        },
        { items: [{ kind: 'flag', key: 'f' }] },
        {
          items: [
            { kind: 'flag', key: 'f', before: '{"key":"f","name":"F"}', after: null },
            { ...ofSettings, before: '{"name":"N","color":"blue"}', after: null },
          ],
        },
        { items: [{ ...ofSettings, before: null, after: '{"name":"N"}' }], details: null },
      ],
    )
  })

  await t.test('is made with the key as soon as there is one', async (t) => {
    configureLog(db, { keys, dailyBytes: 2 ** 31 })
    await updateNamespace({ key: 'n', name: 'Named', confirm: true })
    const log = await holds(t, 'n')
    t.strictSame(
      log.map(({ keyId }) => keyId),
      ['', '', '', '', keys.currentId],
    )
    t.match(log.at(-1)?.items, [{ after: '{"name":"Named","confirm":true}' }])
  })

  await t.test('says what was written without the log', async (t) => {
    const write = `UPDATE resource.namespaces SET revision = nextval('resource.revisions')
                    WHERE key = $1 RETURNING revision`
    const [unlogged] = await db.query<{ revision: number }>(write, ['n'])
    await createFlag({ namespaceKey: 'n', key: 'g', name: 'G' })
    await db.query(`DELETE FROM resource.flags`)
    await db.query(`DELETE FROM resource.namespaces WHERE key = 'n'`)
    await createNamespace({ key: 'n', name: 'Again' })
    const log = (await holds(t, 'n')).slice(-3)
    const [last, afterWrite, afterDeletion] = log
    t.match(JSON.parse(afterWrite?.details ?? ''), {
      gap: { from: last?.revision, to: unlogged?.revision },
    })
    t.match(JSON.parse(afterDeletion?.details ?? ''), {
      gap: { from: afterWrite?.revision, to: Number(afterDeletion?.revision) - 1 },
    })
  })
})

t.test('the log is append-only', async (t) => {
  const { db, createFlag } = await openResources(t)
  await createFlag({ key: 'f', name: 'F' })
  const refused = [
    `UPDATE resource.changes SET comment = 'x'`,
    `UPDATE resource.changes SET actor = 'x', address = NULL`,
    `UPDATE resource.change_items SET after = NULL`,
    'DELETE FROM resource.changes',
    'DELETE FROM resource.change_items',
    'TRUNCATE resource.changes',
    'TRUNCATE resource.change_items',
  ]
  for (const statement of refused) {
    await t.rejects(db.query(statement), { message: /append-only/ }, statement)
  }
  await db.query('UPDATE resource.changes SET address = NULL')
  t.equal((await readLog(db)).length, 1)
})

t.test('a namespace that has logged enough today takes deletions only', async (t) => {
  const { db, createFlag, updateFlag, deleteFlag, createNamespace } = await openResources(t)
  configureLog(db, { keys: new ChainKeys(), dailyBytes: 4000 })
  await createFlag({ key: 'f', name: 'F', description: 'x'.repeat(3000) })
  const refused = { code: 'resource_exhausted', reason: 'too_many_changes' }
  await t.rejects(updateFlag({ key: 'f', name: 'F', description: '' }), refused)
  await createNamespace({ key: 'other', name: 'Other' })
  await deleteFlag({ key: 'f' })
  await t.rejects(createFlag({ key: 'g', name: 'G' }), refused)
  await db.query(`UPDATE resource.chains SET logged_on = logged_on - 1`)
  await createFlag({ key: 'g', name: 'G' })
  t.equal((await readLog(db)).length, 3)
})

t.test('what changes nothing counts with its comment and its note', async (t) => {
  const { db, createFlag, updateFlag, deleteFlag, undoChange, apply, revision } =
    await openResources(t)
  const call = callOf({ 'svc-comment-bin': 'x'.repeat(4096) })
  const same = { key: 'f', name: 'F' }
  await createFlag(same)
  const created = String(await revision())
  const allow = (dailyBytes: number) => configureLog(db, { keys: new ChainKeys(), dailyBytes })
  const logged = async () => {
    const [chain] = await db.query<{ bytes: number }>(
      `SELECT logged_bytes AS bytes FROM resource.chains WHERE namespace_key = 'default'`,
    )
    return chain?.bytes ?? 0
  }
  const refused = { code: 'resource_exhausted', reason: 'too_many_changes' }
  await t.test('the same values in a loop', async (t) => {
    const before = await logged()
    allow(before + 20_000)
    let written = 0
    const loop = async () => {
      for (; written < 50; written += 1) await updateFlag(same, call)
    }
    await t.rejects(loop(), refused)
    t.equal(written, 4, 'of a comment of 4 KiB each')
    t.ok((await logged()) - before >= 4 * 4096 && (await logged()) - before <= 20_000)
  })
  await t.test('the row of a change is room that it needs', async (t) => {
    allow((await logged()) + 500)
    await t.rejects(updateFlag(same), refused)
    allow((await logged()) + 1000)
    await t.resolves(updateFlag(same))
  })
  await t.test('what details say', async (t) => {
    const note = 'n'.repeat(900)
    const flag = { name: 'F', type: 'BOOLEAN_FLAG_TYPE', description: '' } as const
    const applied = {
      operations: [{ kind: 'FLAG_KIND', key: 'g', flag }],
      details: { note },
    } as const
    allow((await logged()) + 1000)
    await t.rejects(apply(applied), refused)
    allow((await logged()) + 2000)
    await t.resolves(apply(applied))
  })
  await t.test('deletions and undos go on', async (t) => {
    allow(await logged())
    await t.rejects(updateFlag(same), refused)
    await t.resolves(undoChange({ revision: created, force: true }))
    await t.resolves(deleteFlag({ key: 'g' }))
  })
})

t.test('the settings of a namespace have a revision of their own', async (t) => {
  const { db, createFlag, createNamespace, updateNamespace, revision } = await openResources(t)
  const settingsRevision = async () => {
    const [row] = await db.query<{ revision: number }>(
      `SELECT settings_revision AS revision FROM resource.namespaces WHERE key = 'n'`,
    )
    return row?.revision
  }
  await createNamespace({ key: 'n', name: 'N' })
  const created = await revision('n')
  t.equal(await settingsRevision(), created)
  await createFlag({ namespaceKey: 'n', key: 'f', name: 'F' })
  t.equal(await settingsRevision(), created)
  await updateNamespace({ key: 'n', name: 'N' })
  t.equal(await settingsRevision(), await revision('n'))
  await db.query(`UPDATE resource.namespaces SET name = 'by the release before' WHERE key = 'n'`)
  t.equal(await settingsRevision(), 0)
})

t.test('20,000 flags and segments at most are deleted with their namespace', async (t) => {
  const { db, createNamespace, deleteNamespace } = await openResources(t)
  const make = async (key: string, flags: number) => {
    await createNamespace({ key, name: 'N' })
    // A tenth at a time: no statement may take longer than two seconds.
    for (let part = 0; part < 10; part += 1) {
      await db.query(
        `INSERT INTO resource.flags (namespace_key, key, type, name)
         SELECT $1, 'f' || i, 'BOOLEAN_FLAG_TYPE', 'F'
           FROM generate_series(0, $2::integer - 1) AS i WHERE i % 10 = $3`,
        [key, flags, part],
      )
    }
  }
  await make('large', 20_001)
  await t.rejects(deleteNamespace({ key: 'large', force: true }), { code: 'invalid_argument' })
  await make('n', 1100)
  await deleteNamespace({ key: 'n', force: true })
  const deletion = (await readLog(db, 'n')).at(-1)
  const flags = deletion?.items.filter(({ kind }) => kind === 'flag') ?? []
  t.equal(flags.length, 1100)
  t.ok(flags.every(({ before }) => readDocument('flag', before ?? '').name === 'F'))
  t.strictSame(hashesOf(await readLog(db, 'n'), 'n').at(-1), deletion?.hash)
})
