import t from 'tap'
import { parse } from 'yaml'
import { toYaml } from './yaml.ts'

t.test('a segment is YAML without ids and without what is empty', async (t) => {
  const text = await toYaml({
    key: 'staff',
    name: 'Staff',
    description: '',
    matchType: 'ALL_MATCH_TYPE',
    constraints: [
      {
        id: 'd59e7e7a-4153-4c53-9717-3d6ef88073c0',
        type: 'STRING_COMPARISON_TYPE',
        property: 'email',
        operator: 'isoneof',
        value: '["a@example.com"]',
        description: '',
      },
    ],
  })
  t.equal(
    text,
    [
      'key: staff',
      'name: Staff',
      'matchType: ALL_MATCH_TYPE',
      'constraints:',
      '  - type: STRING_COMPARISON_TYPE',
      '    property: email',
      '    operator: isoneof',
      `    value: '["a@example.com"]'`,
      '',
    ].join('\n'),
  )
})

t.test(
  'a flag keeps its metadata, its numbers and the texts that look like something else',
  async (t) => {
    const text = await toYaml({
      key: 'on',
      type: 'BOOLEAN_FLAG_TYPE',
      name: 'true',
      description: '# 1\n',
      enabled: false,
      metadata: { id: '7', none: [], off: false },
      variants: [],
      rules: [],
      rollouts: [{ id: 'x', description: '', threshold: { percentage: 0, value: false } }],
    })
    t.strictSame(parse(text), {
      key: 'on',
      type: 'BOOLEAN_FLAG_TYPE',
      name: 'true',
      description: '# 1\n',
      enabled: false,
      metadata: { id: '7', none: [], off: false },
      rollouts: [{ threshold: { percentage: 0, value: false } }],
    })
  },
)
