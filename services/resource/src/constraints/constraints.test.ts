import t from 'tap'
import { openResources } from '../testing/resources.ts'

const isTrue = { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'true' } as const

t.test('createConstraint', async (t) => {
  const { createSegment, createConstraint, getSegment } = await openResources(t)
  const segment = await createSegment({ key: 's', name: 'S' })

  await t.test('answers with what the segment then holds', async (t) => {
    const made = await createConstraint({
      segmentKey: 's',
      type: 'STRING_COMPARISON_TYPE',
      property: 'plan',
      operator: 'IsOneOf',
      value: '["pro"]',
      description: 'Who pays',
    })
    t.match(made, {
      id: /^[0-9a-f-]{36}$/,
      segmentKey: 's',
      type: 'STRING_COMPARISON_TYPE',
      property: 'plan',
      operator: 'isoneof',
      value: '["pro"]',
      namespaceKey: 'default',
      description: 'Who pays',
    })
    t.strictSame(made.createdAt, made.updatedAt)
    t.strictSame((await getSegment({ key: 's' })).constraints, [made])
  })

  await t.test('leaves the time of the segment alone', async (t) => {
    t.strictSame((await getSegment({ key: 's' })).updatedAt, segment.updatedAt)
  })

  await t.test('lists them in the order of their creation', async (t) => {
    const later = await createConstraint({ segmentKey: 's', ...isTrue })
    t.equal((await getSegment({ key: 's' })).constraints[1]?.id, later.id)
  })

  await t.test('refuses a segment that does not exist', async (t) => {
    const refused = { code: 'not_found', message: 'segment "default/nope" not found' }
    await t.rejects(createConstraint({ segmentKey: 'nope', ...isTrue }), refused)
  })

  await t.test('needs a segment', async (t) => {
    const refused = { message: 'invalid field segmentKey: must not be empty' }
    await t.rejects(createConstraint(isTrue), refused)
  })
})

t.test('updateConstraint', async (t) => {
  const { createSegment, createConstraint, updateConstraint, getSegment } = await openResources(t)
  await createSegment({ key: 's', name: 'S' })
  await createSegment({ key: 'other', name: 'Other' })
  const { id, createdAt, updatedAt } = await createConstraint({ segmentKey: 's', ...isTrue })
  const change = {
    type: 'NUMBER_COMPARISON_TYPE',
    property: 'age',
    operator: 'GTE',
    value: '18',
  } as const
  const refused = { code: 'not_found', message: `constraint "${id}" not found` }

  await t.test('replaces all of it', async (t) => {
    const after = await updateConstraint({ segmentKey: 's', id, ...change })
    t.match(after, { ...change, operator: 'gte', description: '', createdAt })
    t.notSame(after.updatedAt, updatedAt)
    t.strictSame((await getSegment({ key: 's' })).constraints, [after])
  })

  await t.test('does not find it under another segment', async (t) => {
    await t.rejects(updateConstraint({ segmentKey: 'other', id, ...change }), refused)
  })

  await t.test('does not find one that does not exist', async (t) => {
    const message = 'constraint "nope" not found'
    const update = updateConstraint({ segmentKey: 's', id: 'nope', ...change })
    await t.rejects(update, { code: 'not_found', message })
  })

  await t.test('needs an id', async (t) => {
    const message = 'invalid field id: must not be empty'
    await t.rejects(updateConstraint({ segmentKey: 's', ...change }), { message })
  })
})

t.test('deleteConstraint', async (t) => {
  const resources = await openResources(t)
  const { createSegment, createConstraint, deleteConstraint, getSegment, revision } = resources
  await createSegment({ key: 's', name: 'S' })
  await createSegment({ key: 'other', name: 'Other' })
  const { id } = await createConstraint({ segmentKey: 's', ...isTrue })

  await t.test('does not find it under another segment', async (t) => {
    const before = await revision()
    t.strictSame(await deleteConstraint({ segmentKey: 'other', id }), {})
    t.equal((await getSegment({ key: 's' })).constraints.length, 1)
    t.equal(await revision(), before)
  })

  await t.test('removes it', async (t) => {
    t.strictSame(await deleteConstraint({ segmentKey: 's', id }), {})
    t.strictSame((await getSegment({ key: 's' })).constraints, [])
  })

  await t.test('is no error when there is none', async (t) => {
    t.strictSame(await deleteConstraint({ segmentKey: 's', id }), {})
  })

  await t.test('needs an id and a segment', async (t) => {
    const noId = { message: 'invalid field id: must not be empty' }
    await t.rejects(deleteConstraint({ segmentKey: 's' }), noId)
    const noSegment = { message: 'invalid field segmentKey: must not be empty' }
    await t.rejects(deleteConstraint({ id }), noSegment)
  })
})
