import t from 'tap'
import { addLogin, as, openAuth, openAuthDatabase } from '../../auth.test.support.ts'
import { acmeEnv, acmeIssuer, section } from './oidc.test.support.ts'

t.test('a session lasts for as long as the settings allow its login', async (t) => {
  const db = await openAuthDatabase(t)
  const replicas = [
    await openAuth(t, acmeEnv(), db),
    await openAuth(t, acmeEnv({ [`${section}_EMAIL_MATCHES`]: '.*@example\\.com' }), db),
    await openAuth(t, acmeEnv({ [`${section}_EMAIL_MATCHES`]: '.*@other\\.example' }), db),
    await openAuth(
      t,
      acmeEnv({ [`${section}_PROVIDERS_ACME_ISSUER_URL`]: 'https://127.0.0.1:2' }),
      db,
    ),
    await openAuth(t, {}, db),
  ]
  const { clientToken } = await addLogin(db, {
    issuer: acmeIssuer,
    metadata: {
      'io.svc.auth.oidc.provider': 'acme',
      'io.svc.auth.oidc.email': 'ada@example.com',
      'io.svc.auth.oidc.email_verified': 'true',
    },
  })
  const accepted = await Promise.all(replicas.map(({ accepts }) => accepts(clientToken)))
  t.strictSame(accepted, [true, true, false, false, false])
  const message = 'request was not authenticated'
  const self = replicas.map(({ authentications }) =>
    authentications.getSelf({}, as(clientToken)).catch((error) => error.message),
  )
  t.match(await Promise.all(self), [{ id: /./ }, { id: /./ }, message, message, message])
})
