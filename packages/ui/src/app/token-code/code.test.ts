import t from 'tap'
import { nodeCode, withToken } from './code.ts'

t.test('a command gets the token before it, quoted for a shell', async (t) => {
  t.equal(withToken('svc_abc', 'curl x'), "export SVC_TOKEN='svc_abc'\ncurl x")
  t.equal(withToken(undefined, 'curl x'), 'curl x')
})

t.test('the program asks in the namespace, by the kind of the flag', async (t) => {
  const at = { url: 'https://flags.example.com', namespaceKey: 'shop' }
  const boolean = nodeCode({ ...at, flag: { key: 'hello', type: 'BOOLEAN_FLAG_TYPE' } }, 'svc_abc')
  t.match(boolean, "baseUrl: 'https://flags.example.com'")
  t.match(boolean, "['X-Svc-Namespace', 'shop']")
  t.match(boolean, "getBooleanValue('hello', false, { targetingKey: 'user-42' })")
  t.match(boolean, "SVC_TOKEN='svc_abc' node main.mjs")
  t.equal(boolean.split('svc_abc').length, 2, 'the token stands in it once')
  const variant = nodeCode({ ...at, flag: { key: 'color', type: 'VARIANT_FLAG_TYPE' } }, undefined)
  t.match(variant, "getStringValue('color', '', { targetingKey: 'user-42' })")
  t.match(variant, 'node main.mjs')
  t.notMatch(variant, 'SVC_TOKEN=')
})
