import t from 'tap'
import { isJwtShaped } from './jwt-shape.ts'

t.test('three parts in base64url are a JWT by form', async (t) => {
  t.ok(isJwtShaped('aa.bb.cc'))
  t.ok(isJwtShaped('eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjaSJ9.c2ln-_'))
  t.ok(isJwtShaped(`${'a'.repeat(8186)}.bb.cc`))
})

t.test('nothing else is', async (t) => {
  const others = [
    '',
    '..',
    'aa.bb',
    'aa.bb.c',
    'aa.bb.cc.dd',
    'aa.bb.cc.dd.ee',
    'aa.bb.cc=',
    'aa.b+b.cc',
    ' aa.bb.cc',
    'aa.bb.cc\n',
    'aa.bb.cç',
    `${'a'.repeat(8187)}.bb.cc`,
    `svc_${'a'.repeat(43)}_${'b'.repeat(6)}`,
  ]
  for (const other of others) t.notOk(isJwtShaped(other), JSON.stringify(other.slice(0, 40)))
})
