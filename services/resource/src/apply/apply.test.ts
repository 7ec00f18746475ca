import { canonicalText, type DocumentOf, type Kind } from '@svc/documents'
import t from 'tap'
import { hashesOf, readLog } from '../testing/log.ts'
import { openResources, type Resources } from '../testing/resources.ts'
import { sizesOf } from '../testing/sizes.ts'

const flag = { kind: 'FLAG_KIND', key: 'f' } as const
const segment = { kind: 'SEGMENT_KIND', key: 's' } as const
const document = {
  type: 'VARIANT_FLAG_TYPE',
  name: 'F',
  variants: [
    { key: 'a', default: true },
    { key: 'b', attachment: '{ "x": 1 }' },
  ],
  rules: [
    {
      segments: ['s'],
      distributions: [
        { variant: 'b', rollout: 25 },
        { variant: 'a', rollout: 75 },
      ],
    },
  ],
} as const
const whole = [
  { ...flag, flag: document },
  { ...segment, segment: { name: 'S', constraints: [] } },
] as const

const planChanged = { code: 'failed_precondition', reason: 'plan_changed' }

type Refusal = Partial<Record<'code' | 'reason', string>> & { readonly message: string | RegExp }

type Operations = NonNullable<Parameters<Resources['apply']>[0]['operations']>

/** Everything in a namespace, each document by its key. */
async function readAll({ getNamespaceDocument }: Resources, revision?: number) {
  const { flags, segments, settings } = await getNamespaceDocument({ limit: 1000, revision })
  const texts = new Map<string, string>()
  const add = <K extends Kind>(kind: K, key: string, one: DocumentOf[K]) =>
    texts.set(`${kind} ${key}`, canonicalText(kind, one))
  for (const one of flags) add('flag', one.key, one)
  for (const one of segments) add('segment', one.key, one)
  if (settings !== undefined) add('namespace', 'default', settings)
  return texts
}

t.test('new flags have one time after the other, in the order of their operations', async (t) => {
  const { apply, listFlags } = await openResources(t)
  const keys = Array.from({ length: 150 }, (_, n) => `f-${(n * 7) % 150}`)
  const operations = keys.map((key) => ({
    ...{ ...flag, key },
    flag: { type: 'BOOLEAN_FLAG_TYPE', name: key } as const,
  }))
  await apply({ operations })
  const namespaceKey = 'default'
  const { flags } = await listFlags({ namespaceKey, limit: 1000, sort: '' })
  t.strictSame(
    flags.map(({ key }) => key),
    keys,
  )
  const times = flags.map(({ createdAt }) => {
    return (createdAt?.seconds ?? 0) * 1e6 + (createdAt?.nanos ?? 0) / 1000
  })
  t.ok(times.every((time, n) => n === 0 || time > Number(times[n - 1])))
  for (const { createdAt, updatedAt } of flags) t.strictSame(updatedAt, createdAt)
})

t.test('an apply', async (t) => {
  const resources = await openResources(t)
  const { db, apply, getFlagDocument, revision } = resources
  const before = Number(await revision())

  await t.test('makes what there is not, whatever the order, in one change', async (t) => {
    const { items, revision: made, unchanged } = await apply({ operations: [...whole] })
    t.equal(made, await revision())
    t.equal(unchanged, 0)
    t.match(items, [
      { ...segment, action: 'CREATED_ACTION', revision: 0 },
      { ...flag, action: 'CREATED_ACTION', changes: [{ path: 'key' }, { path: 'name' }] },
    ])
    const log = await readLog(db)
    t.match(log, [{ revision: made, source: 'apply', items: [{ key: 's' }, { key: 'f' }] }])
    t.equal(log.length, 1)
    t.ok(made > before)
  })

  await t.test('changes nothing the second time, and answers the present revision', async (t) => {
    const present = Number(await revision())
    const again = await apply({ operations: [...whole] })
    t.match(again, { revision: present, items: [], unchanged: 2 })
    t.equal(await revision(), present)
    t.equal((await readLog(db)).length, 1)
  })

  await t.test('keeps ids, and gives order its meaning', async (t) => {
    const stored = await getFlagDocument(flag)
    const [a, b] = stored.flag?.variants ?? []
    const [rule] = stored.flag?.rules ?? []
    await apply({
      operations: [
        {
          ...flag,
          flag: {
            ...document,
            variants: [{ key: 'c' }, { key: 'b' }, { key: 'a' }],
            rules: [
              { segments: ['s'], distributions: [{ variant: 'c', rollout: 1 }] },
              {
                segments: ['s'],
                distributions: [
                  { variant: 'a', rollout: 75 },
                  { variant: 'b', rollout: 25 },
                ],
              },
            ],
          },
        },
      ],
    })
    const after = await getFlagDocument(flag)
    t.match(after.flag?.variants, [{ key: 'c' }, { key: 'b', id: b?.id }, { key: 'a', id: a?.id }])
    t.match(after.flag?.rules[1], {
      distributions: [{ variant: 'a' }, { variant: 'b' }],
    })
    t.ok(after.flag?.rules.some(({ id }) => id === rule?.id))
    t.match(after.createdAt, stored.createdAt)
  })

  await t.test('may swap the keys of variants', async (t) => {
    const { flag: now } = await getFlagDocument(flag)
    const [c, b, a] = now?.variants ?? []
    const variants = [
      { ...c, key: 'a' },
      { ...b, key: 'c' },
      { ...a, key: 'b' },
    ]
    await apply({ operations: [{ ...flag, flag: { ...now, variants } }] })
    const after = await getFlagDocument(flag)
    t.match(
      after.flag?.variants.map(({ id, key }) => [id, key]),
      [
        [c?.id, 'a'],
        [b?.id, 'c'],
        [a?.id, 'b'],
      ],
    )
  })

  await t.test('patches members, and deletes what may be missing', async (t) => {
    const patch = { enabled: true, rules: null, metadata: { team: 'x' } }
    const missing = { kind: 'FLAG_KIND', key: 'missing', delete: true } as const
    const { items, unchanged } = await apply({ operations: [{ ...flag, patch }, missing] })
    t.equal(unchanged, 1)
    t.match(items, [{ key: 'f', action: 'UPDATED_ACTION' }])
    t.match((await getFlagDocument(flag)).flag, { enabled: true, rules: [], name: 'F' })
  })

  await t.test('changes the settings', async (t) => {
    const kind = 'NAMESPACE_KIND'
    await apply({ operations: [{ kind, settings: { name: 'D', color: 'blue', confirm: true } }] })
    await apply({ operations: [{ kind, key: 'default', patch: { confirm: null } }] })
    t.match(await resources.getNamespace({ key: 'default' }), { name: 'D', color: 'blue' })
  })

  await t.test('deletes a segment together with what uses it', async (t) => {
    await apply({ operations: [...whole] })
    await apply({
      operations: [
        { ...segment, delete: true },
        { ...flag, delete: true },
      ],
    })
    t.equal((await readAll(resources)).size, 1)
  })

  const log = await readLog(db)
  t.strictSame(
    hashesOf(log),
    log.map(({ hash }) => hash),
  )
  const { counted, actual } = await sizesOf(db)
  t.equal(counted, actual)
})

t.test('a dry run does everything, and writes nothing', async (t) => {
  const resources = await openResources(t)
  const { apply, db, revision } = resources
  const before = await revision()
  const planned = await apply({ operations: [...whole], dryRun: true })
  t.match(planned, { revision: 0, items: [{ key: 's' }, { key: 'f' }] })
  t.equal(await revision(), before)
  t.strictSame(await readLog(db), [])
  t.equal((await readAll(resources)).size, 1)
  await t.rejects(apply({ operations: [...whole, { ...flag, key: 'g' }], dryRun: true }))

  await t.test('whose plan holds until something of it changes', async (t) => {
    await t.rejects(apply({ operations: whole.slice(1), plan: planned.plan }), planChanged)
    await resources.createFlag({ key: 'other', name: 'O' })
    await apply({ operations: [...whole], plan: planned.plan })
    await t.rejects(apply({ operations: [...whole], plan: planned.plan }), {
      code: 'failed_precondition',
      reason: 'plan_changed',
    })
  })
})

t.test('an apply is refused as a whole, and says by which operation', async (t) => {
  const resources = await openResources(t)
  const { apply, createFlag, createSegment, revision } = resources
  await createFlag({ key: 'b', name: 'B', type: 'BOOLEAN_FLAG_TYPE' })
  await createSegment({ key: 'used', name: 'U' })
  await resources.createRule({ flagKey: 'b', segmentKey: 'used' })
  const before = await revision()
  const good = whole[1]
  const refused = async (operation: Operations[number], error: Refusal) => {
    await t.rejects(apply({ operations: [good, operation] }), error)
  }
  const message = (text: string) => ({
    code: 'invalid_argument',
    message: `operations[1]: ${text}`,
  })
  const variants = [{ key: 'a' }]
  const constraint = { type: 'NUMBER_COMPARISON_TYPE', property: 'p', operator: 'lt', value: 'x' }
  const cases: readonly (readonly [Operations[number], Refusal])[] = [
    [{ kind: 'FLAG_KIND' }, message('invalid field key: must not be empty')],
    [
      { kind: 'FLAG_KIND', key: 'a b', flag: {} },
      { message: /^operations\[1\]: invalid field key/ },
    ],
    [{ ...flag }, message('takes flag, patch or delete: one of them')],
    [{ ...flag, segment: {} }, message('takes flag, patch or delete: one of them')],
    [{ ...flag, flag: {}, patch: {} }, message('takes flag, patch or delete: one of them')],
    [{ ...flag, flag: {} }, message('invalid field name: must not be empty')],
    [{ ...flag, flag: { key: 'g', name: 'F' } }, { message: /differs from the key/ }],
    [{ ...segment, delete: true }, message('operations[0] is about the same segment')],
    [
      { ...flag, patch: {} },
      { code: 'not_found', message: /^operations\[1\]: flag "default\/f"/ },
    ],
    [
      { kind: 'FLAG_KIND', key: 'b', patch: { nope: 1 } },
      { message: /^operations\[1\]: nope is unk/ },
    ],
    [
      { kind: 'FLAG_KIND', key: 'b', flag: { name: 'B', type: 'VARIANT_FLAG_TYPE' } },
      message('flag "default/b" is a BOOLEAN_FLAG_TYPE: its type cannot be changed'),
    ],
    [
      { ...flag, flag: { name: 'F', variants: [...variants, ...variants] } },
      message('variant "a" is there twice'),
    ],
    [
      { ...flag, flag: { name: 'F', variants: [{ key: 'a', attachment: '{' }] } },
      message('variants[0]: invalid field attachment: must be a json string'),
    ],
    [
      {
        ...flag,
        flag: {
          name: 'F',
          variants,
          rules: [{ segments: ['s'], distributions: [{ variant: 'b' }] }],
        },
      },
      message('rules[0]: the flag has no variant "b"'),
    ],
    [
      { ...flag, flag: { name: 'F', rules: [{ segments: ['gone'] }] } },
      { code: 'not_found', message: 'operations[1]: segment "default/gone" not found' },
    ],
    [
      { ...flag, flag: { name: 'F', rollouts: [{ threshold: { percentage: 101 } }] } },
      { message: /^operations\[1\]: rollouts\[0\]: invalid field threshold.percentage/ },
    ],
    [
      {
        kind: 'SEGMENT_KIND',
        key: 'x',
        segment: { name: 'X', constraints: [constraint as object] },
      },
      { message: /^operations\[1\]: constraints\[0\]: invalid value/ },
    ],
    [
      { kind: 'SEGMENT_KIND', key: 'used', delete: true },
      message('segment "default/used" is in use by flag "b"'),
    ],
    [
      { kind: 'NAMESPACE_KIND', delete: true },
      message('the settings of a namespace cannot be deleted'),
    ],
    [
      { kind: 'NAMESPACE_KIND', key: 'n', settings: {} },
      { message: /^operations\[1\]: invalid field key/ },
    ],
    [
      { kind: 'FLAG_KIND', key: 'b', patch: {}, ifRevision: 0 },
      {
        reason: 'revision_mismatch',
        message: /^operations\[1\]: flag "default\/b" is at revision \d+, and must not exist$/,
      },
    ],
    [
      { ...flag, flag: { name: 'F' }, ifRevision: 1 },
      { reason: 'revision_mismatch', message: 'operations[1]: flag "default/f" does not exist' },
    ],
    [
      { kind: 'FLAG_KIND', key: 'b', patch: {}, expect: { enabled: true } },
      {
        reason: 'expectation_failed',
        message: 'operations[1]: flag "default/b": enabled is false, not true',
      },
    ],
  ]
  for (const [operation, error] of cases) await refused(operation, error)
  await t.rejects(apply({ operations: [{ ...flag, flag: { name: 'a\0' } }] }), {
    code: 'invalid_argument',
  })
  await t.rejects(apply({ details: { undoes: 1 } }), { message: /details.undoes: is unknown/ })
  await t.rejects(apply({ details: { from: 'staging' } }), { message: /details.from/ })
  await t.rejects(apply({ details: { note: 'x'.repeat(4097) } }), { message: /details.note/ })
  await t.rejects(apply({ namespaceKey: 'missing' }), { code: 'not_found' })
  t.equal(await revision(), before)
})

t.test('what an operation expects may hold', async (t) => {
  const { apply, db, createFlag, revision } = await openResources(t)
  await createFlag({ key: 'f', name: 'F', enabled: true })
  const now = await revision()
  await apply({
    operations: [
      { ...flag, patch: { name: 'G' }, ifRevision: now, expect: { enabled: true, metadata: null } },
      { ...segment, segment: { name: 'S' }, ifRevision: 0 },
    ],
    comment: 'why',
    details: { from: 'staging:77', note: 'n' },
  })
  t.match((await readLog(db)).at(-1), {
    comment: 'why',
    details: '{"from":"staging:77","note":"n"}',
  })
})

t.test('a change of many objects is logged as one', async (t) => {
  const resources = await openResources(t)
  const { apply, db } = resources
  const operations = Array.from({ length: 250 }, (_, n) => ({
    kind: 'FLAG_KIND' as const,
    key: `f-${n}`,
    flag: { name: `${n}`, rules: [{ segments: ['s'] }] },
  }))
  await apply({ operations: [...operations, whole[1]] })
  const [change] = await readLog(db)
  t.equal(change?.items.length, 251)
  t.strictSame(hashesOf(change ? [change] : [])[0], change?.hash)
  t.equal((await readAll(resources)).size, 252)
  const { counted, actual } = await sizesOf(db)
  t.equal(counted, actual)
  const gone = operations.map(({ kind, key }) => ({ kind, key, delete: true }))
  await apply({ operations: [...gone, { ...segment, delete: true }] })
  t.equal((await readAll(resources)).size, 1)
  t.equal((await sizesOf(db)).counted, 0)
})
