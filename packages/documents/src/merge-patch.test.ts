import fc from 'fast-check'
import t from 'tap'
import { canonicalText } from './canonical.ts'
import { DocumentError } from './document-error.ts'
import { patchDocument } from './merge-patch.ts'
import { toDocument } from './reading.ts'
import { documents } from './testing.ts'

/** RFC 7396, appendix A: what an object becomes by a patch, here the metadata of a flag. */
const examples: readonly (readonly [target: object, patch: object, result: object])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

t.test('metadata is patched as the RFC says', async (t) => {
  for (const [target, patch, result] of examples) {
    const patched = patchDocument('flag', toDocument('flag', { metadata: target }), {
      metadata: patch,
    })
    const wanted = Object.keys(result).length === 0 ? undefined : result
    t.strictSame(patched.metadata, wanted, JSON.stringify(patch))
  }
})

const flag = toDocument('flag', {
  key: 'k',
  name: 'N',
  enabled: true,
  metadata: { owner: 'a' },
  rollouts: [{ id: '1', threshold: { percentage: 25, value: true } }],
})

t.test('a flag is patched by member', async (t) => {
  const rollouts = [{ threshold: { percentage: 50, value: true } }]
  const cases: readonly (readonly [patch: object, members: object])[] = [
    [{}, {}],
    [{ enabled: false }, { enabled: false }],
    [
      { enabled: null, name: null, metadata: null },
      { enabled: false, name: '', metadata: {} },
    ],
    [{ rollouts }, { rollouts }],
    [{ metadata: { team: 'b' } }, { metadata: { owner: 'a', team: 'b' } }],
    [{ metadata: { owner: null } }, { metadata: {} }],
  ]
  for (const [patch, members] of cases) {
    const wanted = toDocument('flag', { ...flag, ...members })
    t.strictSame(patchDocument('flag', flag, patch), wanted, JSON.stringify(patch))
  }
})

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}

t.test('a patch that makes no document is refused by its path', async (t) => {
  const refused: readonly (readonly [patch: unknown, message: string])[] = [
    [[], 'the document takes a patch that is an object'],
    [null, 'the document takes a patch that is an object'],
    [{ enbled: true }, 'enbled is unknown: a flag has key, type, '],
    [{ rules: { 0: {} } }, 'rules must be a list'],
    [
      { rules: [{ distributions: [{ rollout: '5' }] }] },
      'rules[0].distributions[0].rollout must be a number',
    ],
    [{ metadata: 'x' }, 'metadata must be an object'],
    [JSON.parse('{"__proto__":{"enabled":false}}'), '__proto__ is unknown: '],
    [
      { metadata: nested(100_000) },
      `metadata${'.a'.repeat(63)} must not be nested deeper than 64 levels`,
    ],
    [{ metadata: { a: [nested(64)] } }, 'metadata must not be nested deeper than 64 levels'],
  ]
  for (const [patch, message] of refused) {
    try {
      patchDocument('flag', flag, patch)
      t.fail(message)
    } catch (error) {
      t.ok(error instanceof DocumentError, message)
      t.ok(error instanceof Error && error.message.startsWith(message), message)
    }
  }
})

t.test('a member that is called like the prototype is a member of metadata', async (t) => {
  const patch = JSON.parse('{"metadata":{"__proto__":{"polluted":true}}}')
  const { metadata } = patchDocument('flag', flag, patch)
  t.equal(JSON.stringify(metadata), '{"owner":"a","__proto__":{"polluted":true}}')
  t.equal(Reflect.get({}, 'polluted'), undefined)
})

t.test('any document as a patch of an empty one is that document', async (t) => {
  for (const kind of ['flag', 'segment', 'namespace'] as const) {
    const same = fc.property(documents(kind), (document) => {
      // A patch cannot say `null`.
      const text = canonicalText(kind, document).replaceAll('null', '0')
      const patched = patchDocument(kind, toDocument(kind, {}), JSON.parse(text))
      return canonicalText(kind, patched) === text
    })
    t.doesNotThrow(() => fc.assert(same))
  }
})
