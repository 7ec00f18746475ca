// A DEMO identity provider: it asks for no password, and forgets everything when it ends. For docker-compose.yml with
// the profile `oidc`, on one machine.
//   ISSUER=http://localhost:9000 PUBLIC_URL=http://localhost:8080 node provider.mjs
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

const port = 9000

const { ISSUER: issuer, PUBLIC_URL: publicUrl } = process.env

/** By the name with which they sign in. */
const people = {
  ada: { name: 'Ada Demo', email: 'ada@demo.invalid' },
  grace: { name: 'Grace Demo', email: 'grace@demo.invalid' },
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const callbacks = `${publicUrl}/auth/v1/method/oidc/demo`

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'svc',
      // No secret, as it is published: who can reach the provider is let in anyway.
      client_secret: 'the-demo-provider-keeps-no-secret',
      redirect_uris: [`${callbacks}/callback`],
      post_logout_redirect_uris: [`${publicUrl}/`],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  findAccount: (_context, accountId) => ({
    accountId,
    claims: async () => ({ sub: accountId, email_verified: true, ...people[accountId] }),
  }),
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  scopes: ['openid', 'email', 'profile'],
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  ttl: { AccessToken: 300, Grant: 3600, IdToken: 300, Interaction: 600, Session: 3600 },
})
const answer = provider.callback()

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, issuer)
  if (pathname === '/healthz') response.end('{"status":"ok"}\n')
  else if (pathname.startsWith('/interaction/')) {
    interact(request, response, searchParams.get('as')).catch(() => {
      response
        .writeHead(400, { 'content-type': 'text/plain' })
        .end('this login is over: begin again\n')
    })
  } else answer(request, response)
})
server.listen(port, () => {
  console.log(
    `WARNING: a demo identity provider lets everyone in at ${issuer}: ${Object.keys(people).join(', ')}`,
  )
})
process.once('SIGTERM', () => process.exit())

/** The page with a link for each demo user; a link signs in. */
async function interact(request, response, accountId) {
  const { prompt, params, grantId } = await provider.interactionDetails(request, response)
  if (prompt.name === 'consent') {
    const known = grantId && (await provider.Grant.find(grantId))
    const { session } = await provider.interactionDetails(request, response)
    const grant =
      known || new provider.Grant({ accountId: session.accountId, clientId: params.client_id })
    grant.addOIDCScope('openid email profile')
    const consent = { grantId: await grant.save() }
    return provider.interactionFinished(request, response, { consent })
  }
  if (Object.hasOwn(people, accountId ?? '')) {
    return provider.interactionFinished(request, response, { login: { accountId } })
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
}

const page = `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>Demo identity provider</title>
<style>body { font: 1rem/1.5 sans-serif; max-width: 30rem; margin: 4rem auto; padding: 0 1rem }
strong { background: #c00; color: #fff; padding: 0 .5rem }</style>
<h1><strong>DEMO</strong> Sign in</h1>
<p>This identity provider asks for no password. It is for trying out logins on one machine, and for nothing else.</p>
<ul>${Object.entries(people)
  .map(([name, { email }]) => `<li><a href="?as=${name}">${name}</a> (${email})</li>`)
  .join('')}</ul>
</html>
`
