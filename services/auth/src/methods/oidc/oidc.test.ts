import t from 'tap'
import { as, openAuth, openAuthDatabase } from '../../auth.test.support.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import { insertLogin } from '../login/logins.store.ts'
import { acmeEnv, section } from './oidc.test.support.ts'

t.test('who is in stays in for as long as the settings let them', async (t) => {
  const db = await openAuthDatabase(t)
  const replicas = [
    await openAuth(t, acmeEnv(), db),
    await openAuth(t, acmeEnv({ [`${section}_EMAIL_MATCHES`]: '.*@example\\.com' }), db),
    await openAuth(t, acmeEnv({ [`${section}_EMAIL_MATCHES`]: '.*@other\\.example' }), db),
    await openAuth(t, {}, db),
  ]
  const clientToken = generateToken()
  await insertLogin(db, {
    method: 'METHOD_OIDC',
    tokenHash: hashToken(clientToken),
    issuer: 'https://127.0.0.1:1',
    subject: 'ada',
    lifetimeMs: 60_000,
    idleTimeoutMs: undefined,
    metadata: {
      'io.svc.auth.oidc.provider': 'acme',
      'io.svc.auth.oidc.email': 'ada@example.com',
      'io.svc.auth.oidc.email_verified': 'true',
    },
  })
  const admitted = await Promise.all(
    replicas.map(({ identities }) =>
      identities.authenticate({ clientToken }).then(
        () => true,
        ({ code }) => code,
      ),
    ),
  )
  t.strictSame(admitted, [true, true, 'unauthenticated', 'unauthenticated'])
  const message = 'request was not authenticated'
  const self = replicas.map(({ authentications }) =>
    authentications.getSelf({}, as(clientToken)).catch((error) => error.message),
  )
  t.match(await Promise.all(self), [{ id: /./ }, { id: /./ }, message, message])
})
