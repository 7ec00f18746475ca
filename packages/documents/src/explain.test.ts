import t from 'tap'
import { DocumentError } from './document-error.ts'
import { explainDocument } from './explain.ts'

const place = { namespaceKey: 'shop', revision: 0, entityId: 'user-42' }

t.test('a flag is explained before it is stored', async (t) => {
  const flag = {
    key: 'checkout',
    type: 'BOOLEAN_FLAG_TYPE',
    name: 'Checkout',
    rollouts: [{ segment: { segments: ['adults'], value: true } }],
  }
  const constraint = {
    type: 'NUMBER_COMPARISON_TYPE',
    property: 'age',
    operator: 'gte',
    value: '18',
  }
  const segments = [{ key: 'adults', name: 'Adults', constraints: [constraint] }]
  const explain = (context: Record<string, unknown>) =>
    explainDocument({ ...place, flag, segments, context })
  t.match(explain({ age: 18 }), {
    flagKey: 'checkout',
    boolean: { enabled: true },
    decidedBy: 1,
    steps: [{ segments: [{ key: 'adults', constraints: [{ actual: '18', holds: true }] }] }],
  })
  t.match(explain({ age: null }), {
    boolean: { enabled: false },
    steps: [{ segments: [{ constraints: [{ cause: 'ABSENT_CAUSE' }] }] }],
  })
})

t.test('attachments are as they are stored', async (t) => {
  const attachmentOf = (attachment: string) => {
    const flag = {
      key: 'theme',
      name: 'Theme',
      variants: [{ key: 'blue', default: true, attachment }],
    }
    return explainDocument({ ...place, flag, segments: [], context: {} }).variant?.variantAttachment
  }
  t.equal(attachmentOf('{ "hex": "# 00f" }'), '{"hex":"# 00f"}')
  t.equal(attachmentOf('{ "hex": '), '{ "hex": ', 'what is no JSON cannot be stored')
})

t.test('what is no document is refused', async (t) => {
  const ask = () => explainDocument({ ...place, flag: { keys: [] }, segments: [], context: {} })
  t.throws(ask, DocumentError)
})
