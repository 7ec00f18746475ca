import t from 'tap'
import { askFromTerminal, clientCode, svc } from './terminal.ts'

t.test('a command names the namespace', async (t) => {
  t.equal(svc('shop', 'undo', '42'), 'svc undo 42 -n shop')
  t.equal(svc('default', 'flags', 'on', 'checkout'), 'svc flags on checkout -n default')
  t.equal(svc(undefined, 'status'), 'svc status')
})

t.test('what a shell would read otherwise is quoted', async (t) => {
  t.equal(
    askFromTerminal('explain', 'default', 'checkout', `it's; rm -rf`, {
      country: 'DE',
      age: 4,
      a: '$HOME',
    }),
    `svc explain checkout -e 'it'\\''s; rm -rf' -c country=DE -c age=4 -c 'a=$HOME' -n default`,
  )
})

t.test('an application has three lines', async (t) => {
  const code = clientCode('http://a', 'shop', { key: 'it"s', type: 'VARIANT_FLAG_TYPE' }, 'blue')
  t.equal(code.trimEnd().split('\n').length, 3)
  t.match(code, 'flags.variant("it\\"s", { entityId: \'user-42\' }, "blue")')
})
