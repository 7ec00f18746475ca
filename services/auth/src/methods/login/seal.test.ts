import t from 'tap'
import { openForLogin, sealForLogin } from './seal.ts'

const kind = 'svc code host access token'
const login = { authenticationId: 'a-login', clientToken: 'svc_token' }
const sealed = sealForLogin(kind, 'gho_access', login)

t.test('opens with the client token that it was sealed under', async (t) => {
  t.notMatch(Buffer.from(sealed, 'base64url').toString('latin1'), 'gho_access')
  t.equal(openForLogin(kind, sealed, login), 'gho_access')
  t.not(sealForLogin(kind, 'gho_access', login), sealed, 'another each time')
})

t.test('opens for no other login, nor when a character of it is changed', async (t) => {
  t.equal(openForLogin('svc oidc id token', sealed, login), undefined)
  t.equal(openForLogin(kind, sealed, { ...login, clientToken: 'svc_tokem' }), undefined)
  t.equal(openForLogin(kind, sealed, { ...login, authenticationId: 'another' }), undefined)
  t.equal(openForLogin(kind, '', login), undefined)
  t.equal(openForLogin(kind, `${sealed}A`, login), undefined)
  for (let i = 0; i < sealed.length; i += 1) {
    const changed = `${sealed.slice(0, i)}${sealed[i] === 'A' ? 'B' : 'A'}${sealed.slice(i + 1)}`
    t.equal(openForLogin(kind, changed, login), undefined, `character ${i}`)
  }
})
