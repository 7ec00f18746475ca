import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { loadContract } from '@svc/contract'
import t from 'tap'
import { type Stack, startStack } from '../support/stack.ts'

/**
 * What leaving a field out of an update does: `refused`; `cleared`, to the zero value; `unchanged`; or
 * `other`, where the request is another one without it, and a comment says which.
 */
type LeftOut = 'refused' | 'cleared' | 'unchanged' | 'other'

interface Update {
  readonly fields: Readonly<Record<string, LeftOut>>
  /**
   * Makes a resource and gives the URL of its update, and a body that changes nothing in it. Left out
   * where no field is left unchanged or cleared.
   */
  prepare?(stack: Stack): Promise<{ path: string; body: Readonly<Record<string, unknown>> }>
  /** Where the resource is read, when that is not where it is updated. */
  read?(stack: Stack, path: string): Promise<Readonly<Record<string, unknown>>>
}

const root = '/api/v1/namespaces/default'

async function make(stack: Stack, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await stack.api('POST', path, body)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
  return answer.body as Record<string, unknown>
}

async function get(stack: Stack, path: string): Promise<Record<string, unknown>> {
  return (await stack.api('GET', path)).body as Record<string, unknown>
}

/** The one that was made, among those that the object has which holds it. */
function readFrom(owner: string, list: string) {
  return async (stack: Stack, path: string) => {
    const held = (await get(stack, owner))[list] as Record<string, unknown>[]
    return held.find(({ id }) => path.endsWith(String(id))) ?? {}
  }
}

/** Fields of the URL. The namespace may be left out by its shorter URL: then it is `default`. */
const names = { namespaceKey: 'other' } as const

const updates: Readonly<Record<string, Update>> = {
  UpdateNamespaceRequest: {
    fields: { key: 'refused', name: 'refused', description: 'cleared' },
    async prepare(stack) {
      const body = { name: 'N', description: 'D' }
      await make(stack, '/api/v1/namespaces', { key: 'n', ...body })
      return { path: '/api/v1/namespaces/n', body }
    },
  },
  UpdateFlagRequest: {
    fields: {
      ...names,
      key: 'refused',
      name: 'refused',
      description: 'cleared',
      enabled: 'cleared',
      defaultVariantId: 'cleared',
      metadata: 'unchanged',
    },
    async prepare(stack) {
      const body = { name: 'F', description: 'D', enabled: true, metadata: { team: 'a' } }
      await make(stack, `${root}/flags`, { key: 'f', ...body })
      const { id } = await make(stack, `${root}/flags/f/variants`, { key: 'v' })
      return { path: `${root}/flags/f`, body: { ...body, defaultVariantId: id } }
    },
    async read(stack, path) {
      const { defaultVariant, ...flag } = await get(stack, path)
      const { id = '' } = (defaultVariant ?? {}) as { id?: string }
      return { ...flag, defaultVariantId: id }
    },
  },
  UpdateVariantRequest: {
    fields: {
      ...names,
      flagKey: 'refused',
      id: 'refused',
      key: 'unchanged',
      name: 'cleared',
      description: 'cleared',
      attachment: 'cleared',
    },
    async prepare(stack) {
      const body = { key: 'w', name: 'N', description: 'D', attachment: '{"a":1}' }
      const { id } = await make(stack, `${root}/flags/f/variants`, body)
      return { path: `${root}/flags/f/variants/${id}`, body }
    },
    read: readFrom(`${root}/flags/f`, 'variants'),
  },
  UpdateSegmentRequest: {
    fields: {
      ...names,
      key: 'refused',
      name: 'refused',
      description: 'cleared',
      matchType: 'cleared',
    },
    async prepare(stack) {
      const body = { name: 'S', description: 'D', matchType: 'ANY_MATCH_TYPE' }
      for (const key of ['s', 'r']) await make(stack, `${root}/segments`, { key, ...body })
      return { path: `${root}/segments/s`, body }
    },
  },
  UpdateConstraintRequest: {
    fields: {
      ...names,
      segmentKey: 'refused',
      id: 'refused',
      type: 'refused',
      property: 'refused',
      operator: 'refused',
      value: 'refused',
      description: 'cleared',
    },
    async prepare(stack) {
      const type = 'STRING_COMPARISON_TYPE'
      const body = { type, property: 'p', operator: 'eq', value: 'v', description: 'D' }
      const { id } = await make(stack, `${root}/segments/s/constraints`, body)
      return { path: `${root}/segments/s/constraints/${id}`, body }
    },
    read: readFrom(`${root}/segments/s`, 'constraints'),
  },
  UpdateRuleRequest: {
    fields: {
      ...names,
      flagKey: 'refused',
      id: 'refused',
      segmentKey: 'refused',
      segmentKeys: 'refused',
      segmentOperator: 'cleared',
    },
    async prepare(stack) {
      const body = { segmentKeys: ['s', 'r'], segmentOperator: 'AND_SEGMENT_OPERATOR' }
      const { id } = await make(stack, `${root}/flags/f/rules`, { rank: 1, ...body })
      return { path: `${root}/flags/f/rules/${id}`, body }
    },
  },
  UpdateDistributionRequest: {
    fields: {
      ...names,
      flagKey: 'refused',
      ruleId: 'refused',
      id: 'refused',
      variantId: 'refused',
      rollout: 'cleared',
    },
    async prepare(stack) {
      const { rules } = (await get(stack, `${root}/flags/f/rules`)) as { rules: { id: string }[] }
      const { variants } = (await get(stack, `${root}/flags/f`)) as { variants: { id: string }[] }
      const owner = `${root}/flags/f/rules/${rules[0]?.id}/distributions`
      const body = { variantId: variants[0]?.id, rollout: 50 }
      const { id } = await make(stack, owner, body)
      return { path: `${owner}/${id}`, body }
    },
    read: (stack, path) =>
      readFrom(path.replace(/\/distributions.*/, ''), 'distributions')(stack, path),
  },
  UpdateRolloutRequest: {
    fields: {
      ...names,
      flagKey: 'refused',
      id: 'other',
      description: 'cleared',
      segment: 'refused',
      threshold: 'refused',
    },
    async prepare(stack) {
      await make(stack, `${root}/flags`, { key: 'b', name: 'B', type: 'BOOLEAN_FLAG_TYPE' })
      const body = { description: 'D', threshold: { percentage: 5, value: true } }
      const { id } = await make(stack, `${root}/flags/b/rollouts`, { rank: 1, ...body })
      return { path: `${root}/flags/b/rollouts/${id}`, body }
    },
  },
  ExpireSelfRequest: { fields: { expiresAt: 'other' } },
  OrderRulesRequest: {
    fields: { ...names, flagKey: 'refused', ruleIds: 'refused' },
    async prepare(stack) {
      await make(stack, `${root}/flags/f/rules`, { segmentKey: 's' })
      const { rules } = (await get(stack, `${root}/flags/f/rules`)) as { rules: { id: string }[] }
      return { path: `${root}/flags/f/rules/order`, body: { ruleIds: rules.map(({ id }) => id) } }
    },
  },
  OrderRolloutsRequest: {
    fields: { ...names, flagKey: 'refused', rolloutIds: 'refused' },
    async prepare(stack) {
      await make(stack, `${root}/flags/b/rollouts`, { threshold: { percentage: 10, value: true } })
      const { rules } = (await get(stack, `${root}/flags/b/rollouts`)) as {
        rules: { id: string }[]
      }
      const rolloutIds = rules.map(({ id }) => id)
      return { path: `${root}/flags/b/rollouts/order`, body: { rolloutIds } }
    },
  },
}

/**
 * Lists and maps that clients of today's protos send in updates. A client that does not know a list
 * leaves it out, which cannot be told from sending it empty: so a new one goes into a message of its
 * own, which can be left out. This list does not grow.
 */
const frozenLists = [
  'OrderRolloutsRequest.rollout_ids',
  'OrderRulesRequest.rule_ids',
  'RolloutSegment.segment_keys',
  'UpdateRuleRequest.segment_keys',
]

const { operations, comments } = loadContract()

const inputs = operations
  .filter(({ bindings }) => bindings.some(({ verb }) => verb === 'PUT'))
  .map(({ input }) => input)

/** The lists and maps of a message, and of messages of ours in it. */
function listsIn(message: DescMessage): string[] {
  return message.fields.flatMap((field) => {
    if (field.fieldKind === 'list' || field.fieldKind === 'map') {
      return [`${message.name}.${field.name}`]
    }
    const isOurs = field.fieldKind === 'message' && field.message.typeName.startsWith('svc.')
    return isOurs ? listsIn(field.message) : []
  })
}

t.test('every field of every update is in the table', async (t) => {
  const fieldsOf = ({ fields }: DescMessage) => fields.map(({ jsonName }) => jsonName)
  t.strictSame(
    Object.fromEntries(inputs.map((input) => [input.name, fieldsOf(input).toSorted()])),
    Object.fromEntries(
      Object.entries(updates).map(([name, { fields }]) => [name, Object.keys(fields).toSorted()]),
    ),
  )
})

t.test('updates have no list that an older client would empty', async (t) => {
  t.strictSame([...new Set(inputs.flatMap(listsIn))].toSorted(), frozenLists)
})

t.test('what a field has presence for, its comment says', async (t) => {
  const isOptional = ({ proto }: DescField) => proto.proto3Optional
  for (const { name, fields } of inputs) {
    for (const field of fields) {
      const { [field.jsonName]: leftOut } = updates[name]?.fields ?? {}
      const comment = comments.get(field) ?? ''
      if (leftOut === 'unchanged' || leftOut === 'other' || isOptional(field)) {
        t.match(comment, /[Ll]eft out|empty means/, `${name}.${field.jsonName}`)
      }
    }
  }
})

t.test('leaving a field out does what the table says', async (t) => {
  const stack = await startStack(t)
  for (const [name, { fields, prepare, read = get }] of Object.entries(updates)) {
    if (prepare === undefined) continue
    const { path, body } = await prepare(stack)
    const full = await stack.api('PUT', path, body)
    t.equal(full.status, 200, `${name}: ${full.text}`)
    const before = await read(stack, path)
    for (const field of Object.keys(body)) {
      const { [field]: _, ...rest } = body
      const answer = await stack.api('PUT', path, rest)
      const after = await read(stack, path)
      if (fields[field] === 'refused') {
        t.equal(answer.status, 400, `${name} without ${field}: ${answer.text}`)
        for (const each of Object.keys(body)) t.strictSame(after[each], before[each])
      } else {
        t.equal(answer.status, 200, `${name} without ${field}: ${answer.text}`)
        const expected = fields[field] === 'unchanged' ? before[field] : zeroOf(before[field])
        t.strictSame(after[field], expected, `${name} without ${field} is ${fields[field]}`)
      }
      await stack.api('PUT', path, body)
    }
  }
})

const zeroEnums: Readonly<Record<string, string>> = {
  ANY_MATCH_TYPE: 'ALL_MATCH_TYPE',
  AND_SEGMENT_OPERATOR: 'OR_SEGMENT_OPERATOR',
}

function zeroOf(value: unknown): unknown {
  if (typeof value === 'boolean') return false
  if (typeof value === 'number') return 0
  return zeroEnums[String(value)] ?? ''
}
