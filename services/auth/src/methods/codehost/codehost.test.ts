import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestDatabase } from '@svc/database/testing'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { addLogin, openAuth, openAuthDatabase } from '../../auth.test.support.ts'
import { sealForLogin } from '../login/seal.ts'
import { insertMembership } from './memberships.store.ts'

/** A code host, with what it is sent: of acme every account is a member. */
async function startCodehost(t: Test) {
  const sent: (string | undefined)[] = []
  const server = createServer((request, response) => {
    sent.push(request.headers.authorization)
    const acme = { id: 1, login: 'acme' }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(request.url?.startsWith('/user/orgs') ? [acme] : []))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { sent, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const envOf = (url: string) => {
  const settings = {
    ENABLED: 'true',
    SERVER_URL: url,
    API_URL: url,
    CLIENT_ID: 'flags',
    CLIENT_SECRET: 'a-secret-of-no-use',
    SCOPES: 'read:org',
    ALLOWED_ORGANIZATIONS: 'acme',
    ALLOW_INSECURE: 'true',
  }
  const prefix = 'SVC_AUTHENTICATION_METHODS_CODEHOST_'
  return {
    SVC_SERVER_PUBLIC_URL: 'https://flags.example.com',
    ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [prefix + key, value])),
  }
}

/** A session whose memberships are due to be checked. */
async function logInAt(db: TestDatabase, issuer: string): Promise<string> {
  const { clientToken, id } = await addLogin(db, { method: 'METHOD_CODEHOST', issuer })
  const login = { authenticationId: id, clientToken }
  const sealed = sealForLogin('svc code host access token', 'an-access-token', login)
  await insertMembership(db, id, sealed)
  await db.query(`UPDATE auth.codehost_memberships SET checked_at = now() - interval '1 day'`)
  return clientToken
}

t.test('another code host gets no session of the one before, and no access token', async (t) => {
  const db = await openAuthDatabase(t)
  const [before, after] = [await startCodehost(t), await startCodehost(t)]
  const clientToken = await logInAt(db, before.url)
  const moved = await openAuth(t, envOf(after.url), db)
  t.notOk(await moved.accepts(clientToken))
  // Waits for checks.
  await moved.close()
  t.strictSame(after.sent, [])
  const same = await openAuth(t, envOf(before.url), db)
  t.ok(await same.accepts(clientToken))
  await waitFor(() => before.sent.includes('Bearer an-access-token'))
})
