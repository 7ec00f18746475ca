import t from 'tap'
import { observed } from '../testing/observed.ts'
import { handlersOn, openResources, type Resources } from '../testing/resources.ts'

const MiB = 2 ** 20

/** Makes flags of some 600 KB each. */
async function makeLargeFlags({ createFlag, createVariant }: Resources, count: number) {
  const attachment = JSON.stringify('x'.repeat(600_000))
  for (let number = 0; number < count; number += 1) {
    const flagKey = `f${number}`
    await createFlag({ namespaceKey: 'n', key: flagKey, name: 'F' })
    await createVariant({ namespaceKey: 'n', flagKey, key: 'v', attachment })
  }
}

t.test('large flags are read by portions when their namespace is deleted', async (t) => {
  const resources = await openResources(t)
  const { db, createNamespace, verifyChanges, listChanges, revision } = resources
  let largest = 0
  const onRows = (rows: readonly unknown[]) => {
    largest = Math.max(largest, JSON.stringify(rows).length)
  }
  const { deleteNamespace, undoChange } = handlersOn(observed(db, { onRows }))
  const deletions = {
    'by force': () => deleteNamespace({ key: 'n', force: true }),
    'by an undo of its creation': async (created: number) => {
      await undoChange({ namespaceKey: 'n', revision: String(created), force: true })
    },
  }
  for (const [what, deletion] of Object.entries(deletions)) {
    await createNamespace({ key: 'n', name: 'N' })
    const created = Number(await revision('n'))
    await makeLargeFlags(resources, 20)
    largest = 0
    await deletion(created)
    t.ok(largest > MiB && largest <= 4.1 * MiB, `${what}: ${largest} bytes at once`)
    const { changes } = await listChanges({ namespaceKey: 'n', limit: 1 })
    t.match(changes, [{ itemCount: 21 }], what)
    t.match(await verifyChanges({ namespaceKey: 'n' }), { intact: true }, what)
  }
})
