import t from 'tap'
import { personOf, personOfActor } from './people.ts'

t.test('people have names, and programs are told apart from them', async (t) => {
  const usual = { createdAt: '', updatedAt: '', allowedAddresses: [] }
  const id = '5f1c1b2e-0000-4000-8000-000000000000'
  const metadata = { 'io.svc.auth.oidc.name': '', 'io.svc.auth.oidc.email': 'mara@example.com' }
  t.strictSame(personOf({ ...usual, id, method: 'METHOD_OIDC', metadata }), {
    name: 'mara@example.com',
    isBot: false,
  })
  t.strictSame(personOf({ ...usual, id, method: 'METHOD_TOKEN', metadata: {} }), {
    name: '5f1c1b2e',
    isBot: true,
  })
  t.equal(personOfActor({ id: '', method: '', name: '', address: '' }), undefined)
  t.strictSame(personOfActor({ id, method: 'METHOD_CODEHOST', name: 'Tom', address: '' }), {
    name: 'Tom',
    isBot: false,
  })
})
