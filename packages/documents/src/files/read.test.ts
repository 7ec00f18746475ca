import t from 'tap'
import { FilesError, problemText } from './file-problem.ts'
import { type FileText, type ReadOptions, readFiles } from './read.ts'

/** What is wrong with a YAML file, a line each. */
function problemsOf(text: string, options?: ReadOptions): string[] {
  return problemsOfFiles([{ name: 'a.yml', text }], options)
}

function problemsOfFiles(files: readonly FileText[], options?: ReadOptions): string[] {
  try {
    readFiles(files, options)
  } catch (error) {
    if (error instanceof FilesError) return error.problems.map(problemText)
    throw error
  }
  return []
}

const shop = `version: "1.4"
namespace:
  key: shop
  name: Shop
flags:
- key: checkout
  name: Checkout
  type: VARIANT_FLAG_TYPE
  enabled: true
  metadata:
    owner: payments
  variants:
  - key: blue
    attachment:
      big: 12345678901234567890
      ratio: 1.0
      items: [1, "x", null]
  - default: true
    key: red
    name: 7
  rules:
  - segment: staff
    distributions:
    - variant: blue
      rollout: 33.33
  - segment:
      keys: [eu, staff]
      operator: AND_SEGMENT_OPERATOR
    rank: 1
- key: banner
  name: Banner
  type: BOOLEAN_FLAG_TYPE
  rollouts:
  - segment:
      key: eu
      value: true
  - description: half of all
    threshold:
      percentage: 50
---
namespace: other
segments:
- key: staff
  name: Staff
  constraints:
  - type: NUMBER_COMPARISON_TYPE
    property: age
    operator: gt
    value: 18
  match_type: ANY_MATCH_TYPE
`

t.test('a file is read as documents', async (t) => {
  const { namespaces, warnings } = readFiles([{ name: 'shop.yml', text: shop }])
  t.strictSame(warnings, [])
  const [first, second] = namespaces
  t.match(first, { namespaceKey: 'shop', settings: { name: 'Shop', description: '' } })
  t.match(second, { namespaceKey: 'other', settings: undefined, flags: [] })
  t.strictSame(first?.flags[0], {
    key: 'checkout',
    type: 'VARIANT_FLAG_TYPE',
    name: 'Checkout',
    description: '',
    enabled: true,
    metadata: { owner: 'payments' },
    variants: [
      {
        ...{ id: '', key: 'blue', name: '', description: '', default: false },
        attachment: '{"big":12345678901234567890,"ratio":1.0,"items":[1,"x",null]}',
      },
      { id: '', key: 'red', name: '7', description: '', attachment: '', default: true },
    ],
    rules: [
      {
        ...{ id: '', segments: ['staff'], operator: 'OR_SEGMENT_OPERATOR' },
        distributions: [{ id: '', variant: 'blue', rollout: 33.33 }],
      },
      {
        ...{ id: '', segments: ['eu', 'staff'], operator: 'AND_SEGMENT_OPERATOR' },
        distributions: [],
      },
    ],
    rollouts: [],
  })
  t.match(first?.flags[1]?.rollouts, [
    { segment: { segments: ['eu'], operator: 'OR_SEGMENT_OPERATOR', value: true } },
    { description: 'half of all', threshold: { percentage: 50, value: false } },
  ])
  t.match(second?.segments[0], {
    matchType: 'ANY_MATCH_TYPE',
    constraints: [{ operator: 'gt', value: '18' }],
  })
  t.equal(first?.placeOf('flag', 'banner'), 'shop.yml:30:3')
})

t.test('a problem says where it is, and what to write', async (t) => {
  const cases: Readonly<Record<string, readonly [text: string, problem: string]>> = {
    'an unknown member': [
      'flags:\n- key: a\n  nmae: A\n  name: A\n',
      'a.yml:3:3: flags[0].nmae: is unknown: a flag has key, name, type, description, enabled, metadata, variants, rules, rollouts. Did you mean "name"?',
    ],
    'an unknown member that every object has': [
      'flags:\n- key: a\n  name: A\n  constructor: A\n',
      'a.yml:4:3: flags[0].constructor: is unknown: a flag has key, name, type, description, enabled, metadata, variants, rules, rollouts',
    ],
    'a missing name': [
      'flags:\n- key: a\n',
      'a.yml:2:3: flags[0]: needs "name", a text that is not empty',
    ],
    'a version that there is not': [
      'version: "1.9"\n',
      'a.yml:1:10: version: unsupported version: 1.9: use 1.0, 1.1, 1.2, 1.3, 1.4',
    ],
    'a member of a later version': [
      'version: "1.0"\nflags:\n- {key: a, name: A, type: BOOLEAN_FLAG_TYPE}\n',
      'a.yml:3:27: flags[0].type: flag.type is supported in version >=1.1, found 1.0',
    ],
    'an unknown enum': [
      'flags:\n- {key: a, name: A, type: BOOLEAN}\n',
      'a.yml:2:27: flags[0].type: must be one of VARIANT_FLAG_TYPE, BOOLEAN_FLAG_TYPE',
    ],
    'a variant that the flag does not have': [
      'flags:\n- key: a\n  name: A\n  rules:\n  - segment: s\n    distributions: [{variant: x}]\n',
      'a.yml:6:31: flags[0].rules[0].distributions[0].variant: names the variant "x", which the flag does not have: it has none',
    ],
    'both kinds of rollout': [
      'flags:\n- key: a\n  name: A\n  rollouts:\n  - {segment: {key: s}, threshold: {}}\n',
      'a.yml:5:5: flags[0].rollouts[0]: must have either "segment" or "threshold"',
    ],
    'an operator of another type': [
      'segments:\n- key: s\n  name: S\n  constraints:\n  - {type: BOOLEAN_COMPARISON_TYPE, property: beta, operator: eq}\n',
      'a.yml:5:63: segments[0].constraints[0].operator: must be an operator of BOOLEAN_COMPARISON_TYPE: true, false, present, notpresent',
    ],
    'a key that comes twice': [
      'flags:\n- {key: a, name: A}\n- {key: a, name: B}\n',
      'a.yml:3:3: flags[1]: flag "a" is in a.yml:2:3, too',
    ],
    'a member that comes twice': [
      'flags:\n- key: a\n  name: A\n  name: B\n',
      'a.yml:4:3: flags[0].name: comes twice',
    ],
    'what is no YAML': [
      'flags:\n- key: "a\n',
      'a.yml:3:1: a closing quote or bracket, a comma or a colon is missing here',
    ],
    'an alias without its anchor': ['flags: *x\n', 'a.yml:1:8: there is no anchor &x before this'],
  }
  for (const [name, [text, problem]] of Object.entries(cases)) {
    t.strictSame(problemsOf(text), [problem], name)
  }
})
