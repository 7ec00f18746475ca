import { ConstraintViolation } from '@svc/database'
import t from 'tap'
import { openResources } from './testing/resources.ts'

t.test('the database itself refuses', async (t) => {
  const { db, createFlag, createSegment, createVariant, createRule } = await openResources(t)
  for (const key of ['f', 'g']) await createFlag({ key, name: key })
  await createSegment({ key: 's', name: 'S' })
  const own = await createVariant({ flagKey: 'f', key: 'v' })
  const foreign = await createVariant({ flagKey: 'g', key: 'v' })
  const rule = await createRule({ flagKey: 'f', segmentKey: 's', rank: 1 })

  const into = (table: string, row: Readonly<Record<string, unknown>>) => {
    const all = { namespace_key: 'default', ...row }
    const places = Object.keys(all).map((_, index) => `$${index + 1}`)
    return db.query(
      `INSERT INTO resource.${table} (${Object.keys(all)}) VALUES (${places})`,
      Object.values(all),
    )
  }
  const flag = { key: 'k', type: 'BOOLEAN_FLAG_TYPE', name: 'K' }
  const variant = { flag_key: 'f', key: 'k' }
  const share = { flag_key: 'f', rule_id: rule.id, variant_id: own.id, rollout: 50 }
  const rollout = { flag_key: 'f', rank: 1, value: true }
  const threshold = { ...rollout, type: 'THRESHOLD_ROLLOUT_TYPE', percentage: 50 }
  const operator = { segment_operator: 'OR_SEGMENT_OPERATOR' }
  await into('rollouts', threshold)
  const second = { ...threshold, rank: 2 }

  const refused: Record<string, () => Promise<unknown>> = {
    'a key that is none': () => into('flags', { ...flag, key: 'a b' }),
    'an empty key': () => into('segments', { key: '', name: 'S', match_type: 'ALL_MATCH_TYPE' }),
    'a key that is too long': () => into('flags', { ...flag, key: 'k'.repeat(256) }),
    'a flag without a namespace': () => into('flags', { ...flag, namespace_key: 'nope' }),
    'an unknown type': () => into('flags', { ...flag, type: 'OTHER_FLAG_TYPE' }),
    'metadata that is no object': () => into('flags', { ...flag, metadata: '[1]' }),
    'the default variant of another flag': () =>
      db.query('UPDATE resource.flags SET default_variant_id = $1 WHERE key = $2', [
        foreign.id,
        'f',
      ]),
    'a variant without a flag': () => into('variants', { ...variant, flag_key: 'nope' }),
    'a variant that is there': () => into('variants', { ...variant, key: 'v' }),
    'an attachment that is too long': () =>
      into('variants', { ...variant, attachment: 'x'.repeat(1_024_001) }),
    'a distribution of the variant of another flag': () =>
      into('distributions', { ...share, variant_id: foreign.id }),
    'a distribution of a rule of another flag': () =>
      into('distributions', { ...share, flag_key: 'g', variant_id: foreign.id }),
    'a share below 0': () => into('distributions', { ...share, rollout: -0.001 }),
    'a share above 100': () => into('distributions', { ...share, rollout: 100.001 }),
    'a share that is no number': () => into('distributions', { ...share, rollout: 'NaN' }),
    'a rule with rank 0': () => into('rules', { flag_key: 'f', rank: 0, ...operator }),
    'a rank that is taken': () => into('rollouts', threshold),
    'a percentage that is no number': () => into('rollouts', { ...second, percentage: 'NaN' }),
    'a rollout of both kinds': () => into('rollouts', { ...second, ...operator }),
    'a rollout of neither kind': () => into('rollouts', { ...second, percentage: null }),
    'a rollout of another kind than it says': () =>
      into('rollouts', { ...second, type: 'SEGMENT_ROLLOUT_TYPE' }),
    'a segment that a rule uses to be deleted': () => db.query('DELETE FROM resource.segments'),
    'a namespace to be deleted that holds anything': () =>
      db.query('DELETE FROM resource.namespaces'),
  }
  for (const [what, write] of Object.entries(refused)) {
    await t.test(what, async (t) => {
      await t.rejects(write(), ConstraintViolation)
    })
  }
})
