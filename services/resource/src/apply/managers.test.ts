import t from 'tap'
import { openResources } from '../testing/resources.ts'

t.test('who keeps an object', async (t) => {
  const resources = await openResources(t)
  const { apply, getFlagDocument, putFlagDocument, createFlag } = resources
  const many = Array.from({ length: 30 }, (_, n) => ({
    kind: 'FLAG_KIND' as const,
    key: `f-${n}`,
    flag: { name: 'F' },
  }))
  await apply({ operations: many, manager: 'git' })
  t.equal((await getFlagDocument({ key: 'f-1' })).managedBy, 'git')

  await t.test('is the manager of an apply, and no other without taking over', async (t) => {
    const patch = { kind: 'FLAG_KIND', key: 'f-1', patch: { name: 'G' } } as const
    await t.rejects(apply({ operations: [patch], manager: 'terraform' }), {
      code: 'already_exists',
      reason: 'managed_by_other',
      message: 'operations[0]: flag "default/f-1" is kept by "git"',
    })
    await apply({ operations: [patch] })
    t.match(await getFlagDocument({ key: 'f-1' }), { managedBy: 'git', flag: { name: 'G' } })
    const taken = await apply({ operations: [patch], manager: 'terraform', takeOver: true })
    t.match(taken.items, [{ action: 'UPDATED_ACTION', changes: [], managedBy: 'terraform' }])
    t.equal((await getFlagDocument({ key: 'f-1' })).managedBy, 'terraform')
  })

  await t.test('is what a document says when it is put', async (t) => {
    const put = (managedBy?: string) =>
      putFlagDocument({ key: 'f-2', flag: { name: 'F' }, managedBy })
    await t.rejects(put('other'), { code: 'already_exists', reason: 'managed_by_other' })
    await t.rejects(put('a b'), { message: /managedBy/ })
    t.equal((await put()).managedBy, 'git')
    t.equal((await put('')).managedBy, '')
    t.equal((await put('other')).managedBy, 'other')
  })

  await t.test('is pruned, but not without a look at what goes', async (t) => {
    await createFlag({ key: 'by-hand', name: 'H' })
    const operations = many.slice(10)
    const few = await apply({ operations, manager: 'git', prune: true })
    t.equal(few.items.filter(({ action }) => action === 'DELETED_ACTION').length, 8)
    const most = { operations: many.slice(25), manager: 'git', prune: true }
    const refusal = { code: 'invalid_argument', reason: 'prune_needs_plan' }
    await t.rejects(apply(most), refusal)
    await t.rejects(apply({ ...most, operations: [] }), refusal)
    const { plan } = await apply({ ...most, dryRun: true }).catch(() => ({ plan: '' }))
    t.not(plan, '')
    await t.rejects(apply({ ...most, plan: 'x' }), {
      code: 'failed_precondition',
      reason: 'plan_changed',
    })
    await apply({ ...most, plan })
    const { flags } = await resources.getNamespaceDocument({})
    t.strictSame(
      flags.map(({ key }) => key),
      ['by-hand', 'f-1', 'f-2', 'f-25', 'f-26', 'f-27', 'f-28', 'f-29'],
    )
    await t.rejects(apply({ prune: true }), { message: /invalid field prune: takes a manager/ })
  })
})
