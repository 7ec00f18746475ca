import t from 'tap'
import { nodeCode, openFeatureCode, terminalCode, withToken } from './code.ts'

t.test('a command gets the token before it, quoted for a shell', async (t) => {
  t.equal(withToken('svc_abc', 'curl x'), "export SVC_TOKEN='svc_abc'\ncurl x")
  t.equal(withToken(undefined, 'curl x'), 'curl x')
})

const at = { url: 'https://flags.example.com', namespaceKey: 'shop' }
const hello = { ...at, flag: { key: 'hello', type: 'BOOLEAN_FLAG_TYPE' } } as const
const color = { ...at, flag: { key: 'color', type: 'VARIANT_FLAG_TYPE' } } as const

t.test('three lines of Node.js ask in the namespace, by the kind of the flag', async (t) => {
  const boolean = nodeCode(hello, 'svc_abc')
  t.match(boolean, `url: 'https://flags.example.com', namespace: "shop"`)
  t.match(boolean, `flags.boolean("hello", { entityId: 'user-42' }, false)`)
  t.match(boolean, "SVC_TOKEN='svc_abc' node main.mjs")
  t.equal(boolean.split('svc_abc').length, 2, 'the token stands in it once')
  t.equal(boolean.split('\n').filter((line) => line !== '' && !line.startsWith('//')).length, 3)
  const variant = nodeCode(color, undefined)
  t.match(variant, `flags.variant("color", { entityId: 'user-42' }, "")`)
  t.notMatch(variant, 'SVC_TOKEN=')
  t.notMatch(nodeCode({ ...color, namespaceKey: 'default' }, undefined), 'namespace:')
})

t.test('a provider of OpenFeature asks likewise', async (t) => {
  const boolean = openFeatureCode(hello, 'svc_abc')
  t.match(boolean, "baseUrl: 'https://flags.example.com'")
  t.match(boolean, "['X-Svc-Namespace', 'shop']")
  t.match(boolean, "getBooleanValue('hello', false, { targetingKey: 'user-42' })")
  t.equal(boolean.split('svc_abc').length, 2, 'the token stands in it once')
  t.match(
    openFeatureCode(color, undefined),
    "getStringValue('color', '', { targetingKey: 'user-42' })",
  )
})

t.test('a command asks from a terminal', async (t) => {
  const line = 'svc evaluate hello -e user-42 -n shop --url '
  t.equal(
    terminalCode(hello, 'svc_abc'),
    `export SVC_TOKEN='svc_abc'\n${line}'https://flags.example.com'`,
  )
})
