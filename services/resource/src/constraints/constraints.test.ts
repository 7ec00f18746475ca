import t from 'tap'
import { openResources } from '../testing/resources.ts'

t.test('constraints', async (t) => {
  const resources = await openResources(t)
  const { createConstraint, updateConstraint, deleteConstraint, getSegment } = resources
  const { updatedAt } = await resources.createSegment({ key: 's', name: 'S' })
  const read = async () => (await getSegment({ key: 's' })).constraints
  const fields = {
    segmentKey: 's',
    type: 'STRING_COMPARISON_TYPE',
    property: 'plan',
    operator: 'isoneof',
    value: '["pro"]',
    description: 'Who pays',
  } as const
  const first = await createConstraint({ ...fields, operator: 'IsOneOf' })

  await t.test('are answered as the segment then holds them', async (t) => {
    t.match(first, { id: /^[0-9a-f-]{36}$/, ...fields, namespaceKey: 'default' })
    t.strictSame(first.createdAt, first.updatedAt)
    t.strictSame(await read(), [first])
  })

  await t.test('come in the order of their creation', async (t) => {
    const second = await createConstraint({ ...fields, operator: 'empty', value: '' })
    t.strictSame(await read(), [first, second])
    t.strictSame(await deleteConstraint({ segmentKey: 's', id: second.id }), {})
    t.strictSame(await read(), [first])
  })

  await t.test('leave the time of the segment alone', async (t) => {
    t.strictSame((await getSegment({ key: 's' })).updatedAt, updatedAt)
  })

  await t.test('are replaced whole', async (t) => {
    const type = 'NUMBER_COMPARISON_TYPE'
    const change = { segmentKey: 's', id: first.id, type, property: 'age', value: '18' } as const
    const after = await updateConstraint({ ...change, operator: 'GTE' })
    t.match(after, { ...change, operator: 'gte', description: '', createdAt: first.createdAt })
    t.notSame(after.updatedAt, first.updatedAt)
    t.strictSame(await read(), [after])
  })
})
