import t from 'tap'
import { openResources } from '../testing/resources.ts'

const attachment = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`

t.test('a flag takes 8 MiB with everything in it, and not more', async (t) => {
  const { createFlag, createVariant, updateVariant, revision, db } = await openResources(t)
  await createFlag({ key: 'f', name: 'F' })
  for (let i = 0; i < 8; i += 1) {
    await createVariant({ flagKey: 'f', key: `v${i}`, attachment: attachment(1_000_000) })
  }
  const small = await createVariant({ flagKey: 'f', key: 'small' })
  const before = await revision()
  const message = 'flag "default/f" is full: with all that is in it, it may take 8 MiB'
  const full = { code: 'resource_exhausted', reason: 'flag_full', message }

  await t.test('when something is added', async (t) => {
    const large = { flagKey: 'f', key: 'large', attachment: attachment(500_000) }
    await t.rejects(createVariant(large), full)
  })

  await t.test('when something grows', async (t) => {
    const grown = { flagKey: 'f', id: small.id, attachment: attachment(500_000) }
    await t.rejects(updateVariant(grown), full)
  })

  await t.test('and is as it was after a refusal', async (t) => {
    t.equal(await revision(), before)
    const [row] = await db.query<{ count: number }>('SELECT count(*) FROM resource.variants')
    t.equal(row?.count, 9)
  })

  await t.test('while another flag has room', async (t) => {
    await createFlag({ key: 'g', name: 'G' })
    const large = { flagKey: 'g', key: 'large', attachment: attachment(500_000) }
    t.equal((await createVariant(large)).key, 'large')
  })
})

t.test('a segment takes 8 MiB with everything in it, and not more', async (t) => {
  const { createSegment, createConstraint, db } = await openResources(t)
  await createSegment({ key: 's', name: 'S' })
  await db.query(
    `INSERT INTO resource.constraints (namespace_key, segment_key, type, property, operator, value)
     SELECT 'default', 's', 'STRING_COMPARISON_TYPE', 'p', 'eq', repeat('v', 250000)
       FROM generate_series(1, 33)`,
  )
  const constraint = {
    segmentKey: 's',
    type: 'STRING_COMPARISON_TYPE',
    property: 'p',
    operator: 'eq',
    value: 'v'.repeat(250_000),
  } as const
  const message = 'segment "default/s" is full: with all that is in it, it may take 8 MiB'
  await t.rejects(createConstraint(constraint), { code: 'resource_exhausted', message })
})
