import { createTestDatabase } from '@svc/database/testing'
import { IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import t from 'tap'
import { openAuthChannel } from '../support/internal.ts'
import { startJwtIssuer } from '../support/jwt-issuer.ts'
import { clockAhead, startServiceProcess } from '../support/service-process.ts'

for (const minutes of [-10, 10]) {
  t.test(
    `an auth service whose clock is ${minutes} minutes ahead judges JWTs as others do`,
    async (t) => {
      const issuer = await startJwtIssuer(t, 'ci')
      const { url } = await createTestDatabase(t)
      const auth = await startServiceProcess(t, 'auth', {
        ...issuer.env,
        SVC_DB_URL: url,
        NODE_OPTIONS: clockAhead(minutes),
      })
      const written = Date.parse(String(auth.lines.at(-1)?.time))
      t.ok(Math.abs(written - Date.now() - minutes * 60_000) < 60_000, 'its clock is wrong')

      const channel = openAuthChannel(t, `127.0.0.1:${auth.port}`)
      const identities = channel.client(IdentityServiceDefinition)
      const now = Math.floor(Date.now() / 1000)
      const isAccepted = async (claims: object) =>
        identities.authenticate({ clientToken: await issuer.sign({ ...claims }) }).then(
          () => true,
          (error: { code?: unknown }) => (error.code === 'unauthenticated' ? false : error.code),
        )
      t.equal(await isAccepted({}), true, 'good for five minutes')
      t.equal(await isAccepted({ exp: now + 5 }), true, 'good for a moment')
      t.equal(await isAccepted({ nbf: now - 5 }), true, 'good since a moment')
      t.equal(await isAccepted({ exp: now - 40 }), false, 'expired')
      t.equal(await isAccepted({ nbf: now + 60 }), false, 'not good yet')
    },
  )
}
