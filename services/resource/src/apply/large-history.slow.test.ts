import { canonicalText } from '@svc/documents'
import t from 'tap'
import { openResources, type Resources } from '../testing/resources.ts'

/** As many as a flag has room for, each of the largest size. */
const variants = Array.from({ length: 7 }, (_, place) => ({
  ...{ id: '', key: `v${place}`, name: '', description: '', default: false },
  attachment: JSON.stringify('x'.repeat(1_000_000)),
}))

const document = {
  ...({ type: 'VARIANT_FLAG_TYPE', name: 'F', description: '', enabled: false } as const),
  ...{ variants, rules: [], rollouts: [] },
}

/** Changes of large flags, without their heads. @returns the last revision */
async function logLargeItems(
  { db, revision }: Resources,
  keys: readonly string[],
  sides: 'before' | 'before, after',
): Promise<number> {
  const first = Number(await revision())
  for (const [index, key] of keys.entries()) {
    const text = canonicalText('flag', { key, ...document })
    await db.query(
      `INSERT INTO resource.change_items (namespace_key, revision, place, kind, key, ${sides})
       VALUES ('default', $1, 0, 'flag', $2, ${sides.replace(/\w+/g, '$3::json')})`,
      [first + 1 + index, key, text],
    )
  }
  const last = first + keys.length
  await db.query(`UPDATE resource.namespaces SET revision = $1 WHERE key = 'default'`, [last])
  await db.query(`SELECT setval('resource.revisions', $1)`, [last + 1])
  await db.query(`UPDATE resource.chains SET revision = $1`, [last])
  return last
}

t.test('a past state with more than a statement may take is read by pages', async (t) => {
  const resources = await openResources(t)
  await resources.createFlag({ key: 'a', name: 'A' })
  const past = Number(await resources.revision())
  const keys = Array.from({ length: 36 }, (_, place) => `f${place + 10}`)
  await logLargeItems(resources, keys, 'before')
  const seen: string[] = []
  for (let pageToken = ''; ; ) {
    const page = await resources.getNamespaceDocument({ revision: past, limit: 1000, pageToken })
    seen.push(...page.flags.map(({ key }) => key))
    pageToken = page.nextPageToken
    if (pageToken === '') break
  }
  t.strictSame(seen, ['a', ...keys])
})

t.test('an undo names its conflict however large what came later is', async (t) => {
  const resources = await openResources(t)
  await resources.createFlag({ key: 'f', name: 'F' })
  await resources.updateFlag({ key: 'f', name: 'G' })
  const renamed = String(await resources.revision())
  await resources.updateFlag({ key: 'f', name: 'H' })
  await logLargeItems(resources, Array(40).fill('f'), 'before, after')
  await t.rejects(resources.undoChange({ revision: renamed }), {
    code: 'failed_precondition',
    message: 'flag "default/f" has changed since: name',
  })
})
