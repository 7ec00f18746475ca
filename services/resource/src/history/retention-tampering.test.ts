import { ChainKeys } from '@svc/audit'
import t from 'tap'
import { day, dayMs, openRetention } from '../testing/retention.ts'
import { deleteOld } from './retention.ts'

t.test('edits of a log that was cut by retention are found', async (t) => {
  const { options, logOld, findBreak, edited, errors } = await openRetention(t)
  const logged = await logOld([500, 450, 410, 300, 200, 100].map((d) => d * day))
  const [, second = 0, third = 0, fourth = 0, fifth = 0, newest = 0] = logged
  const past = await logOld([500 * day, 1], { namespaceKey: 'other' })
  await deleteOld(options)
  const at = (revision: number) => `namespace_key = 'default' AND revision = ${revision}`
  const chain = (set: string) => `UPDATE resource.chains SET ${set} WHERE namespace_key = 'default'`
  const remove = (revision: number) => [
    `DELETE FROM resource.changes WHERE ${at(revision)}`,
    `DELETE FROM resource.change_items WHERE ${at(revision)}`,
  ]
  const insert = (revision: number) => `
    INSERT INTO resource.changes
    SELECT namespace_key, ${revision}, at, actor, address, source, comment, request_id, details,
           items_hash, previous_hash, key_id, hash FROM resource.changes WHERE ${at(fourth)}`
  const cases: Readonly<Record<string, readonly [readonly string[], unknown]>> = {
    'the first is edited': [
      [`UPDATE resource.changes SET actor = 'x' WHERE ${at(fourth)}`],
      fourth,
    ],
    'the first is cut off': [remove(fourth), fifth],
    'the first is cut off, and the beginning set to it': [
      [
        chain(`pruned_revision = ${fourth}, pruned_hash = (
          SELECT hash FROM resource.changes WHERE ${at(fourth)})`),
        ...remove(fourth),
      ],
      fourth,
    ],
    'the first is cut off, and the beginning is one without a key': [
      [
        chain(`pruned_revision = ${fourth}, pruned_key_id = '', pruned_hash = (
                 SELECT hash FROM resource.changes WHERE ${at(fourth)}),
               pruned_mac = (SELECT sha256(convert_to(E'pruned\\n\\ndefault\\n${fourth}\\n'
                               || encode(hash, 'hex'), 'UTF8'))
                               FROM resource.changes WHERE ${at(fourth)})`),
        ...remove(fourth),
      ],
      `the start of the log, revision ${fourth}, was written without a key`,
    ],
    'all are cut off, and the beginning is the head, without a key': [
      [
        chain(`pruned_revision = revision, pruned_key_id = '', pruned_hash = hash,
               pruned_mac = sha256(convert_to(E'pruned\\n\\ndefault\\n${newest}\\n'
                               || encode(hash, 'hex'), 'UTF8'))`),
        ...[fourth, fifth, newest].flatMap(remove),
      ],
      newest,
    ],
    'one comes before the beginning': [[insert(second)], second],
    'an item comes before the beginning': [
      [
        `INSERT INTO resource.change_items (namespace_key, revision, place, kind, key)
         VALUES ('default', ${second}, 0, 'flag', 'f')`,
      ],
      second,
    ],
    'the beginning is taken away': [[chain('pruned_revision = 0')], fourth],
    'the beginning is another': [[chain('pruned_revision = pruned_revision - 1')], third - 1],
    'its hash is another': [[chain(`pruned_hash = sha256('x')`)], third],
    'its MAC is another': [[chain(`pruned_mac = sha256('x')`)], third],
    'it is that of another namespace': [
      [
        `UPDATE resource.chains AS chain
            SET (pruned_revision, pruned_hash, pruned_mac) = (
                  SELECT pruned_revision, pruned_hash, pruned_mac FROM resource.chains
                   WHERE namespace_key = 'other')
          WHERE namespace_key = 'default'`,
      ],
      undefined,
    ],
    'its key is not known': [[chain(`pruned_key_id = 'x'`)], 'unknown key x'],
  }
  for (const [what, [statements, expected]] of Object.entries(cases)) {
    t.equal(await findBreak(), 'intact')
    await edited(statements, async () => {
      const found = await findBreak()
      if (expected === undefined) t.not(found, 'intact', what)
      else t.equal(found, expected, what)
      await deleteOld(options)
      t.equal(await findBreak(), found, `${what}: retention does not hide it`)
    })
  }
  t.ok(past.length > 0)
  t.strictSame(errors(), [])
})

t.test('a time that was edited lets retention delete nothing', async (t) => {
  const { options, logOld, revisions, findBreak, edited, errors } = await openRetention(t)
  const logged = await logOld([500, 450, 300, 200, 100].map((d) => d * day))
  const [first = 0, second = 0, third = 0, fourth = 0] = logged
  const all = `namespace_key = 'default' AND revision`
  await t.test('to an earlier one', async (t) => {
    const earlier = `UPDATE resource.changes SET at = at - interval '300 days' WHERE ${all}`
    for (const statements of [
      [`${earlier} = ${third}`],
      [`${earlier} <= ${fourth}`],
      [
        `${earlier} = ${fourth}`,
        `UPDATE resource.changes SET key_id = '' WHERE ${all} = ${fourth}`,
      ],
      [`${earlier} = ${third}`, `UPDATE resource.changes SET key_id = 'x' WHERE ${all} = ${third}`],
    ]) {
      await edited(statements, async () => {
        await deleteOld(options)
        const left = await revisions()
        t.ok(left.includes(third) && left.includes(fourth))
        t.not(await findBreak(), 'intact')
      })
    }
    t.match(errors(), [{ why: 'its hash differs', revision: third }, { revision: fourth }])
  })
  await t.test('to a later one', async (t) => {
    await edited([`UPDATE resource.changes SET at = now() WHERE ${all} = ${first}`], async () => {
      await deleteOld(options)
      t.strictSame(await revisions(), logged)
      t.match(errors(), [{ revision: first, why: /is later/ }])
    })
  })
  await deleteOld(options)
  t.strictSame(await revisions(), logged.slice(2))
  t.ok(second > 0)
  t.equal(await findBreak(), 'intact')
})

t.test('changes whose key is lost go once a later one is old', async (t) => {
  const { options, logOld, revisions, verifyChanges } = await openRetention(t)
  const unkeyed = await logOld([600 * day, 590 * day], { keys: new ChainKeys() })
  const lost = await logOld([500 * day, 450 * day], { keys: new ChainKeys('lost') })
  const known = await logOld([399 * day, 1])
  await deleteOld(options)
  t.strictSame(await revisions(), [...unkeyed, ...lost, ...known])
  await deleteOld({ ...options, retentionMs: 398 * dayMs })
  t.strictSame(await revisions(), known.slice(1))
  t.match(await verifyChanges({}), { intact: true, checked: 1, unproven: [] })
})
