import { deepStrictEqual, equal } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { dropIds } from '../ids.ts'
import { readDocument } from '../reading.ts'
import { documents } from '../testing.ts'
import { readFiles } from './read.ts'
import { fileHeader, type NamespaceContent, writeNamespace } from './write.ts'

function write(
  format: 'yaml' | 'json',
  namespaces: readonly NamespaceContent[],
  sortByKey = false,
) {
  return namespaces
    .flatMap((one, place) => [...writeNamespace(one, { format, sortByKey, isFirst: place === 0 })])
    .join('')
}

const shop: NamespaceContent = {
  namespaceKey: 'shop',
  settings: { name: 'Shop', description: '' },
  flags: [
    readDocument(
      'flag',
      JSON.stringify({
        key: 'checkout',
        name: 'yes',
        description: 'of two\nlines',
        metadata: { owner: 'payments', since: '2030-01-31' },
        variants: [
          { id: 'v1', key: 'blue', attachment: '{"big":12345678901234567890,"b":[],"a":1.0}' },
          { id: 'v2', key: 'red', name: "it's: red", default: true },
        ],
        rules: [
          {
            segments: ['staff'],
            distributions: [
              { variant: 'blue', rollout: 33.33 },
              { variant: 'red', rollout: 0 },
            ],
          },
          { segments: ['eu', 'staff'] },
        ],
      }),
    ),
    readDocument(
      'flag',
      JSON.stringify({
        key: 'banner',
        name: 'Banner',
        type: 'BOOLEAN_FLAG_TYPE',
        enabled: true,
        rollouts: [
          {
            description: 'us',
            segment: { segments: ['eu', 'us'], operator: 'AND_SEGMENT_OPERATOR' },
          },
          { segment: { segments: ['eu'], value: true } },
          { threshold: { percentage: 0 } },
        ],
      }),
    ),
  ],
  segments: [
    readDocument(
      'segment',
      JSON.stringify({
        key: 'eu',
        name: 'EU',
        constraints: [
          {
            type: 'DATETIME_COMPARISON_TYPE',
            property: 'since',
            operator: 'lt',
            value: '2030-01-31',
          },
          { type: 'BOOLEAN_COMPARISON_TYPE', property: 'beta', operator: 'true' },
        ],
      }),
    ),
  ],
}

const other: NamespaceContent = {
  namespaceKey: 'other',
  settings: { name: 'other', description: 'nothing in it' },
  flags: [],
  segments: [],
}

t.test('YAML is written as the contract has it', async (t) => {
  t.equal(
    write('yaml', [shop, other]),
    `version: "1.4"
namespace:
  key: shop
  name: Shop
flags:
- key: checkout
  name: "yes"
  type: VARIANT_FLAG_TYPE
  description: |-
    of two
    lines
  enabled: false
  metadata:
    owner: payments
    since: "2030-01-31"
  variants:
  - key: blue
    attachment:
      big: 12345678901234567890
      b: []
      a: 1.0
  - default: true
    key: red
    name: 'it''s: red'
  rules:
  - segment: staff
    distributions:
    - variant: blue
      rollout: 33.33
    - variant: red
      rollout: 0
  - segment:
      keys:
      - eu
      - staff
      operator: OR_SEGMENT_OPERATOR
- key: banner
  name: Banner
  type: BOOLEAN_FLAG_TYPE
  enabled: true
  rollouts:
  - description: us
    segment:
      keys:
      - eu
      - us
      operator: AND_SEGMENT_OPERATOR
  - segment:
      key: eu
      value: true
  - threshold:
      percentage: 0
segments:
- key: eu
  name: EU
  constraints:
  - type: DATETIME_COMPARISON_TYPE
    property: since
    operator: lt
    value: "2030-01-31"
  - type: BOOLEAN_COMPARISON_TYPE
    property: beta
    operator: "true"
  match_type: ALL_MATCH_TYPE
---
namespace:
  key: other
  name: other
  description: nothing in it
`,
  )
})

t.test('JSON is an object a line, with numbers as they are', async (t) => {
  const lines = write('json', [shop, other]).split('\n')
  t.match(lines[0], '"attachment":{"big":12345678901234567890,"b":[],"a":1.0}')
  t.match(JSON.parse(lines[0] ?? ''), { version: '1.4', namespace: { key: 'shop' } })
  t.strictSame(JSON.parse(lines[1] ?? ''), {
    namespace: { key: 'other', name: 'other', description: 'nothing in it' },
  })
  t.strictSame(lines.slice(2), [''])
})

t.test('flags, segments and variants are sorted by key when that is asked for', async (t) => {
  const text = write('yaml', [shop], true)
  t.ok(text.indexOf('key: banner') < text.indexOf('key: checkout'))
})

t.test('the header says who and when, without fractions of a second', async (t) => {
  t.equal(
    fileHeader('1.0.0', new Date('2026-11-25T18:00:00.123Z')),
    '# exported by svc (1.0.0) on 2026-11-25T18:00:00Z\n\n',
  )
})

const unique = <D extends { readonly key: string }>(list: fc.Arbitrary<D>) =>
  fc.uniqueArray(list, { maxLength: 4, selector: ({ key }) => key })

/** Whole numbers beyond those that JavaScript keeps are refused in metadata. */
function isSendable(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isSendable)
}

for (const format of ['yaml', 'json'] as const) {
  t.test(`random documents are read from ${format} as they were written`, async (t) => {
    const flags = unique(documents('flag').filter(({ metadata }) => isSendable(metadata)))
    const property = fc.property(flags, unique(documents('segment')), (flags, segments) => {
      const settings = { name: 'Shop', description: '' }
      const content = { namespaceKey: 'shop', settings, flags, segments }
      const header = fileHeader('1.0.0', new Date(0))
      const text = header + write(format, [content])
      const { namespaces } = readFiles([{ name: `a.${format}`, text }])
      const [read] = namespaces
      deepStrictEqual(
        { flags: read?.flags, segments: read?.segments },
        {
          flags: flags.map((flag) => dropIds('flag', flag)),
          segments: segments.map((segment) => dropIds('segment', segment)),
        },
      )
      equal(header + write(format, [{ ...content, ...read, settings }]), text)
    })
    t.doesNotThrow(() => fc.assert(property, { numRuns: 100 }))
  })
}

/** Characters that mean something in YAML, or at the edges of it. */
const tricky = fc.string({
  unit: fc.constantFrom(
    ...' \n\t\r:#-?&*!|>\'"%@`,[]{}~<=0123456789exo_.+yn/\\\u0085\u2028\ufeff\u0001aé😀',
  ),
  maxLength: 12,
})

for (const format of ['yaml', 'json'] as const) {
  t.test(`texts of special characters are read from ${format} as they were written`, async (t) => {
    const property = fc.property(
      tricky,
      tricky,
      fc.jsonValue({ stringUnit: tricky }),
      (name, value, json) => {
        const flag = readDocument(
          'flag',
          JSON.stringify({
            ...{ key: 'a', name: name || 'a', description: value },
            ...{
              metadata: { [name]: value },
              variants: [{ key: value || 'b', attachment: JSON.stringify({ [name]: json }) }],
            },
          }),
        )
        const content = { ...other, flags: [flag] }
        const { namespaces } = readFiles([{ name: `a.${format}`, text: write(format, [content]) }])
        deepStrictEqual(namespaces[0]?.flags, [flag])
      },
    )
    t.doesNotThrow(() => fc.assert(property, { numRuns: 2000 }))
  })
}
