import type { TestDatabase } from '@svc/database/testing'
import t from 'tap'
import { addLogin, openAuthDatabase } from '../../auth.test.support.ts'
import { findIdToken, keepIdToken } from './id-tokens.store.ts'

async function logIn(db: TestDatabase, idToken: string) {
  const { id: authenticationId, clientToken } = await addLogin(db)
  const login = { authenticationId, clientToken }
  await keepIdToken(db, login, idToken)
  return login
}

t.test('an ID token is found with the client token of its login, and not otherwise', async (t) => {
  const db = await openAuthDatabase(t)
  const [ada, bob] = [await logIn(db, 'ada.id.token'), await logIn(db, 'bob.id.token')]
  t.equal(await findIdToken(db, ada), 'ada.id.token')
  t.equal(await findIdToken(db, bob), 'bob.id.token')
  t.equal(await findIdToken(db, { ...ada, clientToken: bob.clientToken }), undefined)
  t.equal(await findIdToken(db, { ...ada, authenticationId: 'none' }), undefined)

  const rows = JSON.stringify(await db.query('SELECT * FROM auth.oidc_id_tokens'))
  t.notMatch(rows, 'ada.id.token')
  t.notMatch(rows, ada.clientToken)
})

t.test('an ID token that would make too long a URL is not kept', async (t) => {
  const db = await openAuthDatabase(t)
  t.equal((await findIdToken(db, await logIn(db, 'x'.repeat(3072))))?.length, 3072)
  t.equal(await findIdToken(db, await logIn(db, 'x'.repeat(3073))), undefined)
  t.equal((await db.query('SELECT FROM auth.oidc_id_tokens')).length, 1)
})

t.test('an ID token goes with its login', async (t) => {
  const db = await openAuthDatabase(t)
  await logIn(db, 'ada.id.token')
  await db.query('DELETE FROM auth.authentications')
  t.strictSame(await db.query('SELECT FROM auth.oidc_id_tokens'), [])
})
