import t from 'tap'
import { openAccessToken, sealAccessToken } from './sealed-access-token.ts'

const login = { authenticationId: 'a-login', clientToken: 'svc_token' }

t.test('opens with the client token that it was sealed under', async (t) => {
  const sealed = sealAccessToken('gho_access', login)
  t.notMatch(Buffer.from(sealed, 'base64url').toString('latin1'), 'gho_access')
  t.equal(openAccessToken(sealed, login), 'gho_access')
})

t.test('is another each time', async (t) => {
  t.not(sealAccessToken('gho_access', login), sealAccessToken('gho_access', login))
})

t.test('opens for no other login, nor when a character of it is changed', async (t) => {
  const sealed = sealAccessToken('gho_access', login)
  t.equal(openAccessToken(sealed, { ...login, clientToken: 'svc_tokem' }), undefined)
  t.equal(openAccessToken(sealed, { ...login, authenticationId: 'another' }), undefined)
  t.equal(openAccessToken('', login), undefined)
  t.equal(openAccessToken(`${sealed}A`, login), undefined)
  for (let i = 0; i < sealed.length; i += 1) {
    const changed = `${sealed.slice(0, i)}${sealed[i] === 'A' ? 'B' : 'A'}${sealed.slice(i + 1)}`
    t.equal(openAccessToken(changed, login), undefined, `character ${i}`)
  }
})
