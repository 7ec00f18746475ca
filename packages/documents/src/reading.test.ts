import t from 'tap'
import { DocumentError } from './document-error.ts'
import { maxDepth, readDocument, toDocument } from './reading.ts'

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })

const empty = {
  key: '',
  type: 'VARIANT_FLAG_TYPE',
  name: '',
  description: '',
  enabled: false,
  metadata: undefined,
  variants: [],
  rules: [],
  rollouts: [],
}

t.test('what is left out or null has its zero value', async (t) => {
  t.strictSame(toDocument('flag', {}), empty)
  t.strictSame(toDocument('flag', { key: null, metadata: null, rules: null, enabled: null }), empty)
  t.strictSame(toDocument('flag', { metadata: {} }), empty, 'an empty object is no metadata')
  const [rollout] = toDocument('flag', { rollouts: [{ segment: null, threshold: {} }] }).rollouts
  const threshold = { percentage: 0, value: false }
  t.strictSame(rollout, { id: '', description: '', segment: undefined, threshold })
})

t.test('metadata may be as deep as its bound', async (t) => {
  t.ok(toDocument('flag', { metadata: nested(maxDepth) }).metadata)
})

/** What does not fit a flag: the path and what the message says of it. */
const refused: readonly (readonly [value: unknown, path: string, message: string])[] = [
  [[], '', 'the document must be an object'],
  [null, '', 'the document must be an object'],
  ['{}', '', 'the document must be an object'],
  [{ bucketBy: 'x' }, 'bucketBy', 'bucketBy is unknown: a flag has key, type, name, description, '],
  [{ toString: 1 }, 'toString', 'toString is unknown: '],
  [JSON.parse('{"__proto__":{}}'), '__proto__', '__proto__ is unknown: '],
  [{ key: 1 }, 'key', 'key must be a string'],
  [{ enabled: 'true' }, 'enabled', 'enabled must be true or false'],
  [{ type: 'X' }, 'type', 'type must be one of VARIANT_FLAG_TYPE, BOOLEAN_FLAG_TYPE'],
  [{ type: 0 }, 'type', 'type must be one of '],
  [{ metadata: [] }, 'metadata', 'metadata must be an object'],
  [
    { metadata: nested(maxDepth + 1) },
    'metadata',
    'metadata must not be nested deeper than 64 levels',
  ],
  [JSON.parse('{"metadata":{"a":1e999}}'), 'metadata', 'metadata must hold finite numbers only'],
  [{ rules: {} }, 'rules', 'rules must be a list'],
  [{ rules: [null] }, 'rules[0]', 'rules[0] must be an object'],
  [
    { rules: [{ rank: 1 }] },
    'rules[0].rank',
    'rules[0].rank is unknown: a rule has id, segments, ',
  ],
  [{ rules: [{ segments: 'a' }] }, 'rules[0].segments', 'rules[0].segments must be a list'],
  [
    { rules: [{ segments: ['a', 1] }] },
    'rules[0].segments[1]',
    'rules[0].segments[1] must be a string',
  ],
  [
    { rules: [{}, { distributions: [{ rollout: '5' }] }] },
    'rules[1].distributions[0].rollout',
    'rules[1].distributions[0].rollout must be a number',
  ],
  [
    { rules: [{ distributions: [{ rollout: 1e39 }] }] },
    'rules[0].distributions[0].rollout',
    'rules[0].distributions[0].rollout must be a number',
  ],
  [
    { rollouts: [{ segment: {}, threshold: {} }] },
    'rollouts[0]',
    'rollouts[0] may have only one of segment, threshold',
  ],
]

t.test('what does not fit is refused by its path', async (t) => {
  for (const [value, path, message] of refused) {
    try {
      toDocument('flag', value)
      t.fail(message)
    } catch (error) {
      t.ok(error instanceof DocumentError && error.path === path, message)
      t.ok(error instanceof Error && error.message.startsWith(message), String(error))
    }
  }
})

t.test('text that is no JSON is refused', async (t) => {
  t.throws(() => readDocument('segment', '{"key":'), new DocumentError('', 'must be JSON'))
  t.throws(
    () => readDocument('namespace', '{"requiredApprovals":1}'),
    /requiredApprovals is unknown/,
  )
})
