import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { loadContract } from '@svc/contract'
import t from 'tap'
import { readFixture } from '../support/fixtures.ts'
import { startStack } from '../support/stack.ts'

/** What leaving a field out of an update does. */
type LeftOut = 'refused' | 'cleared' | 'unchanged' | 'other'

type Resource = Readonly<Record<string, unknown>>

interface Update {
  readonly fields: Readonly<Record<string, LeftOut>>
  /** What is made before, and the name of its id. */
  readonly make?: readonly (readonly [path: string, body: Resource, name?: string])[]
  /** A body that changes nothing, and where it is sent. */
  readonly update?: readonly [path: string, body: Resource]
  /** The object that holds it, and in which list, where it cannot be read at the path of its update. */
  readonly read?: readonly [path: string, list: string]
}

const updates = readFixture<Readonly<Record<string, Update>>>('presence')

/**
 * Lists and maps that clients of today's protos send in updates. A client that does not know a list
 * leaves it out, which cannot be distinguished from sending it empty: so a new one goes into a message of its
 * own, which can be left out. This list does not grow: documents are there from the beginning, and are
 * replaced as a whole.
 */
const frozenLists = [
  'FlagDocument.rollouts',
  'FlagDocument.rules',
  'FlagDocument.variants',
  'OrderRolloutsRequest.rollout_ids',
  'OrderRulesRequest.rule_ids',
  'RolloutSegment.segment_keys',
  'SegmentDocument.constraints',
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
  const { api } = await startStack(t)
  const ids = new Map<string, string>()
  const withIds = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replace(/\$(\w+)/g, (_, name) => String(ids.get(name))))
  const send = async (method: string, path: string, body?: Resource) => {
    const url = path.startsWith('/api/') ? path : `/api/v1/namespaces/default${path}`
    const answer = await api(method, withIds(url), body && withIds(body))
    return { ...answer, body: answer.body as Resource }
  }
  const get = async (path: string): Promise<Resource> => {
    const { body } = await send('GET', path)
    const { defaultVariant, ...resource } = body as { defaultVariant?: { id: string } }
    return { ...resource, defaultVariantId: defaultVariant?.id ?? '' }
  }

  for (const [name, { fields, make = [], update, read }] of Object.entries(updates)) {
    if (update === undefined) continue
    for (const [path, body, id] of make) {
      const made = await send('POST', path, body)
      t.equal(made.status, 200, `${name}: ${made.text}`)
      if (id !== undefined) ids.set(id, String(made.body.id))
    }
    const [path, body] = withIds(update)
    const look = async (): Promise<Resource> => {
      if (read === undefined) return await get(path)
      const [owner, list] = read
      const held = (await get(owner))[list] as readonly Resource[]
      return held.find(({ id }) => path.endsWith(String(id))) ?? {}
    }
    const full = await send('PUT', path, body)
    t.equal(full.status, 200, `${name}: ${full.text}`)
    const before = await look()
    for (const field of Object.keys(body)) {
      const { [field]: _, ...rest } = body
      const answer = await send('PUT', path, rest)
      const after = await look()
      if (fields[field] === 'refused') {
        t.equal(answer.status, 400, `${name} without ${field}: ${answer.text}`)
        for (const each of Object.keys(body)) t.strictSame(after[each], before[each])
      } else {
        t.equal(answer.status, 200, `${name} without ${field}: ${answer.text}`)
        const expected = fields[field] === 'unchanged' ? before[field] : zeroOf(before[field])
        t.strictSame(after[field], expected, `${name} without ${field} is ${fields[field]}`)
      }
      await send('PUT', path, body)
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
