import t from 'tap'
import { noContext } from '../testing/lenient.ts'
import { readLog } from '../testing/log.ts'
import { openResources, type Resources } from '../testing/resources.ts'

const flag = { key: 'f' } as const
const flagKind = { kind: 'FLAG_KIND', ...flag } as const

/** The last revision, as a request names it. */
async function last({ revision }: Resources, namespaceKey = 'default'): Promise<string> {
  return String(await revision(namespaceKey))
}

t.test('undoing a change', async (t) => {
  const resources = await openResources(t)
  const { db, undoChange, updateFlag, getFlagDocument, apply } = resources
  await resources.createSegment({ key: 's', name: 'S' })
  await resources.createFlag({ ...flag, name: 'F' })
  const created = await last(resources)
  await resources.createVariant({ flagKey: 'f', key: 'a' })
  const withVariant = await getFlagDocument(flag)
  await updateFlag({ ...flag, name: 'G', enabled: true })
  const updated = await last(resources)

  await t.test('gives members back, and is a change that can be undone', async (t) => {
    const { items, revision } = await undoChange({ revision: updated, comment: 'why' })
    t.match(items, [{ key: 'f', action: 'UPDATED_ACTION', changes: [{ path: 'name' }, {}] }])
    t.match((await readLog(db)).at(-1), {
      ...{ revision, source: 'undo', comment: 'why', details: `{"undoes":${updated}}` },
    })
    t.match((await getFlagDocument(flag)).flag, { ...withVariant.flag })
    await undoChange({ revision: String(revision) })
    t.match((await getFlagDocument(flag)).flag, { name: 'G', enabled: true })
  })

  await t.test('leaves alone what others have changed since', async (t) => {
    await updateFlag({ ...flag, name: 'G', description: 'D', enabled: true })
    const described = await last(resources)
    await resources.createVariant({ flagKey: 'f', key: 'b' })
    await undoChange({ revision: described })
    t.match((await getFlagDocument(flag)).flag, { description: '', variants: [{}, { key: 'b' }] })
  })

  await t.test('is refused when one of its members has changed since', async (t) => {
    await updateFlag({ ...flag, name: 'H', enabled: true })
    const since = await last(resources)
    const refusal = {
      code: 'failed_precondition',
      reason: 'expectation_failed',
      message: `flag "default/f" has changed since: name (revision ${since})`,
    }
    await t.rejects(undoChange({ revision: updated }), refusal)
    await t.rejects(undoChange({ revision: updated, dryRun: true }), refusal)
    t.equal(await last(resources), since)
    const planned = await undoChange({ revision: updated, force: true, dryRun: true })
    t.match(planned, { revision: 0, items: [{ key: 'f' }] })
    await undoChange({ revision: updated, force: true, plan: planned.plan })
    t.match((await getFlagDocument(flag)).flag, withVariant.flag)
  })

  await t.test('that created something deletes it, unless it has changed', async (t) => {
    await t.rejects(undoChange({ revision: created }), { message: /has changed since: variants/ })
    await undoChange({ revision: created, force: true })
    await t.rejects(getFlagDocument(flag), { code: 'not_found' })
    t.match(await undoChange({ revision: created }), { items: [], unchanged: 1 })
  })

  await t.test('that deleted something brings it back, with its ids', async (t) => {
    const deleted = await last(resources)
    await undoChange({ revision: deleted })
    t.match((await getFlagDocument(flag)).flag, withVariant.flag)
    const present = await last(resources)
    await t.rejects(undoChange({ revision: deleted }), {
      message: `flag "default/f" has changed since (revision ${present})`,
    })
  })

  await t.test('names the flag that needs a segment which is gone', async (t) => {
    const ofRules = (rules: object) => ({ ...flagKind, patch: { rules } })
    await resources.createSegment({ key: 'gone', name: 'G' })
    await apply({ operations: [ofRules([{ segments: ['gone'] }])] })
    await apply({ operations: [ofRules([])] })
    const removed = await last(resources)
    await resources.deleteSegment({ key: 'gone' })
    const message = 'flag "default/f": segment "default/gone" not found'
    await t.rejects(undoChange({ revision: removed }), { code: 'not_found', message })
  })

  await t.test('of an apply is about all of its objects', async (t) => {
    const operations = [
      { kind: 'FLAG_KIND', key: 'f', patch: { rules: [{ segments: ['t'] }], variants: null } },
      { kind: 'SEGMENT_KIND', key: 't', segment: { name: 'T' } },
      { kind: 'SEGMENT_KIND', key: 's', delete: true },
      { kind: 'NAMESPACE_KIND', patch: { confirm: true } },
    ] as const
    const before = await resources.getNamespaceDocument({})
    const { revision } = await apply({ operations: [...operations] })
    await resources.createFlag({ key: 'g', name: 'G' })
    const { items } = await undoChange({ revision: String(revision) })
    t.equal(items.length, 4)
    const after = await resources.getNamespaceDocument({})
    t.strictSame(after.segments, before.segments)
    t.strictSame(after.settings, before.settings)
    t.strictSame(after.flags[0], before.flags[0])
    const past = await resources.getNamespaceDocument({ revision })
    t.match(past, { settings: { confirm: true }, segments: [{ key: 't' }], revision })
    t.equal(past.flags.length, 1)
  })

  await t.test('that is not there says why', async (t) => {
    await t.rejects(undoChange({ revision: '1' }), {
      code: 'not_found',
      reason: 'change_not_found',
    })
    await t.rejects(undoChange({ revision: 'x' }), { message: /must be a whole number/ })
  })
})

t.test('namespaces come and go by undoing', async (t) => {
  const resources = await openResources(t)
  const { createNamespace, createFlag, deleteNamespace, undoChange, getNamespaceDocument } =
    resources
  const namespaceKey = 'n'
  await createNamespace({ key: 'n', name: 'N', color: 'blue' })
  const created = await last(resources, 'n')
  await createFlag({ namespaceKey, ...flag, name: 'F' })
  await resources.createSegment({ namespaceKey, key: 's', name: 'S' })
  await resources.createRule({ namespaceKey, flagKey: 'f', segmentKey: 's' })
  const { revision: _, ...before } = await getNamespaceDocument({ namespaceKey })
  const bound = { ...noContext, caller: { ...noContext.caller, name: 'ci', namespaceKey } }

  await t.test('a deletion brings back all that was in it', async (t) => {
    await deleteNamespace({ key: 'n', force: true })
    const { changes } = await resources.listChanges({ namespaceKey })
    const deletion = { namespaceKey, revision: String(changes[0]?.revision) }
    await t.rejects(undoChange(deletion, bound), {
      reason: 'namespace_restricted',
      code: 'permission_denied',
    })
    t.match(await undoChange({ ...deletion, dryRun: true }), { revision: 0 })
    t.equal(await resources.revision('n'), undefined)
    const { items, revision } = await undoChange(deletion)
    t.equal(items.length, 3)
    t.match(await getNamespaceDocument({ namespaceKey }), { ...before, revision })
    await t.rejects(undoChange(deletion), { code: 'failed_precondition' })

    await t.test('and can be undone', async (t) => {
      await undoChange({ namespaceKey, revision: String(revision) })
      t.equal(await resources.revision('n'), undefined)
      const past = await getNamespaceDocument({ namespaceKey, revision })
      t.match(past, before)
      await t.rejects(getNamespaceDocument({ namespaceKey }), { code: 'not_found' })
      const again = await resources.listChanges({ namespaceKey })
      await undoChange({ namespaceKey, revision: String(again.changes[0]?.revision) })
    })
  })

  await t.test('a creation is undone as long as nothing has changed, or by force', async (t) => {
    const creation = { namespaceKey, revision: created }
    await t.rejects(undoChange(creation), { message: /^namespace "n" has changed since \(rev/ })
    t.match(await undoChange({ ...creation, force: true }), { items: [{ key: 'n' }] })
    t.equal(await resources.revision('n'), undefined)
  })
})

t.test('a past state', async (t) => {
  const resources = await openResources(t)
  const { db, createFlag, updateFlag, deleteFlag, getNamespaceDocument, revision } = resources
  const namesAt = async (at: number | undefined) =>
    (await getNamespaceDocument({ revision: at })).flags.map(({ name }) => name)
  const states: [number | undefined, string[]][] = []
  const note = async (...names: string[]) => states.push([await revision(), names])
  await createFlag({ key: 'a', name: 'A' })
  await note('A')
  await createFlag({ key: 'b', name: 'B' })
  await note('A', 'B')
  await updateFlag({ key: 'a', name: 'AA' })
  await note('AA', 'B')
  await deleteFlag({ key: 'b' })
  await note('AA')
  for (const [at, names] of states) t.strictSame(await namesAt(at), names)

  await t.test('comes in pages of one revision', async (t) => {
    const at = states[1]?.[0]
    const first = await getNamespaceDocument({ revision: at, limit: 1 })
    t.match(first.flags, [{ key: 'a', name: 'A' }])
    await createFlag({ key: 'aa', name: 'X' })
    const { nextPageToken: pageToken } = first
    const second = await getNamespaceDocument({ pageToken, limit: 1 })
    t.match(second, { revision: at, flags: [{ key: 'b' }], nextPageToken: '' })
    await t.rejects(getNamespaceDocument({ pageToken, revision: 7 }), { message: /revision/ })
    await t.rejects(getNamespaceDocument({ pageToken: 'x' }), { message: /pageToken/ })
  })

  await t.test('is not known beyond the log, nor across what was not logged', async (t) => {
    const refused = async (at: number | undefined, message: RegExp) => {
      const error = { code: 'not_found', reason: 'change_not_found', message }
      await t.rejects(getNamespaceDocument({ revision: at }), error)
    }
    const now = Number(await revision())
    await refused(now + 1, /is not there yet$/)
    await db.query('UPDATE resource.chains SET pruned_revision = $1', [states[1]?.[0]])
    await refused(states[0]?.[0], /is not kept any more: changes.retention has deleted it$/)
    t.strictSame(await namesAt(states[1]?.[0]), ['A', 'B'])
    await db.query('UPDATE resource.chains SET started_revision = $1', [states[2]?.[0]])
    await refused(states[1]?.[0], /is from before the log$/)
    // As the release before does it.
    await db.query(`UPDATE resource.namespaces SET revision = nextval('resource.revisions')`)
    await refused(now, /was written without the log$/)
    t.equal((await namesAt(undefined)).length, 2)
    await updateFlag({ key: 'a', name: 'AAA' })
    await refused(now, /was written without the log$/)
    t.equal((await namesAt(Number(await revision()) - 1)).length, 2)
  })
})
