import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeleteAuthenticationRequest } from '@svc/proto/auth/v1/authentications'
import { ListEventsRequest } from '@svc/proto/auth/v1/events'
import t from 'tap'
import { as, firstToken, openAuth, type TestAuth } from '../../auth.test.support.ts'
import { openSession } from '../../cli/cli.test.support.ts'
import { createSigner } from '../../methods/jwt/signing.test.support.ts'
import { signIn } from '../../sessions/sessions.test.support.ts'

const eventsOf = async ({ events }: TestAuth, actorId: string) => {
  const request = ListEventsRequest.fromPartial({ actorId })
  return (await events.listEvents(request, as(firstToken))).events
}

t.test('a static token and all that is made of it are one principal', async (t) => {
  const auth = await openAuth(t)
  const { identities, cli, sessions } = auth
  const { parent, clientToken, logIn, allow } = await openSession(auth)
  const again = await signIn(auth.channel, parent.clientToken)
  const ofCli = await logIn()
  const holders = [parent.clientToken, clientToken, again.clientToken, ofCli]
  for (const [i, one] of holders.entries()) {
    const { principal, name } = await identities.authenticate({ clientToken: one })
    t.strictSame({ principal, name }, { principal: parent.id, name: 'ui' }, `${i}`)
  }

  await cli.exchangeCliCode(await allow())
  await t.rejects(sessions.signIn({ token: ofCli }))
  await sessions.signOut({}, as(ofCli))
  await sessions.signOut({}, as(clientToken))
  await sessions.signOut({}, as(again.clientToken))
  const done = (await eventsOf(auth, parent.id)).map(({ type }) => type)
  t.strictSame(done.toSorted(), [
    ...['cli.allowed', 'cli.allowed', 'login.succeeded', 'login.succeeded'],
    ...['session.signed_out', 'session.signed_out'],
    // Those of the command line are made, and end, by its login and by the end of its session.
    ...['token.created', 'token.created', 'token.deleted', 'token.deleted'],
  ])
})

t.test('events of the holder of a JWT have its name', async (t) => {
  const signer = createSigner('ES256')
  const file = join(t.testdir(), 'key')
  writeFileSync(file, signer.publicKey.export({ type: 'spki', format: 'pem' }))
  const section = 'SVC_AUTHENTICATION_METHODS_JWT'
  const iss = 'https://issuer.example'
  const auth = await openAuth(t, {
    [`${section}_ENABLED`]: 'true',
    [`${section}_TOKEN_MANAGEMENT`]: 'true',
    [`${section}_ISSUERS_CI_ISSUER`]: iss,
    [`${section}_ISSUERS_CI_AUDIENCES`]: 'flags',
    [`${section}_ISSUERS_CI_PUBLIC_KEY_FILE`]: file,
  })
  const exp = Math.floor(Date.now() / 1000) + 600
  // PostgreSQL does not store the second name.
  for (const [sub, actorName] of [
    ['deployments', 'deployments'],
    ['a\0b', ''],
  ] as const) {
    const claims = { iss, aud: 'flags', sub, exp, user: { sub: 'alice' } }
    const jwt = signer.token({ alg: 'ES256' }, claims)
    const { principal } = await auth.identities.authenticate({ clientToken: jwt })
    const { id } = await auth.create({ name: 'to delete' })
    await auth.authentications.deleteAuthentication(
      DeleteAuthenticationRequest.fromPartial({ id }),
      as(jwt),
    )
    const [event, ...more] = await eventsOf(auth, principal)
    t.match(event, { type: 'token.deleted', subjectId: id, actorName })
    t.equal(more.length, 0)
  }
})
