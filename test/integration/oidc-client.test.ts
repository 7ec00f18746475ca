import t from 'tap'
import { openBrowser } from '../support/browser.ts'
import { logInAt, oidcEnv } from '../support/oidc-login.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { startStack } from '../support/stack.ts'

const publicUrl = 'https://flags.example.com'
const people = { ada: {} }

/** What an Authorization header carries, as a provider reads it that decodes nothing. */
const written = (authorization = '') =>
  Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString()

t.test('this service proves itself to a provider', async (t) => {
  const plain = { id: 'flags-web', secret: 'a-secret_of.this*client-0123456789' }
  const odd = { id: 'flags web/1', secret: "a:secret%2Dof+this/client?=~&!'()" }
  const providers = {
    plain: await startOidcProvider(t, { publicUrl, name: 'plain', people, client: plain }),
    odd: await startOidcProvider(t, { publicUrl, name: 'odd', people, client: odd }),
  }
  const section = 'SVC_AUTHENTICATION_METHODS_OIDC_PROVIDERS'
  const { urls } = await startStack(t, {
    env: {
      ...oidcEnv(publicUrl, providers),
      [`${section}_PLAIN_CLIENT_ID`]: plain.id,
      [`${section}_PLAIN_CLIENT_SECRET`]: plain.secret,
      [`${section}_ODD_CLIENT_ID`]: odd.id,
      [`${section}_ODD_CLIENT_SECRET`]: odd.secret,
    },
  })

  await t.test('by its id and secret as they are, where nothing needs encoding', async (t) => {
    t.equal((await logInAt(openBrowser(...urls), 'plain', 'ada')).status, 302)
    t.strictSame(providers.plain.authorizations.map(written), [`${plain.id}:${plain.secret}`])
  })

  await t.test('by what a form makes of them, where something does', async (t) => {
    t.equal((await logInAt(openBrowser(...urls), 'odd', 'ada')).status, 302)
    const [authorization, ...more] = providers.odd.authorizations.map(written)
    t.strictSame(more, [])
    const [id = '', secret = '', ...rest] = authorization?.split(':') ?? []
    t.strictSame(rest, [], 'a colon in the secret is encoded')
    const form = new URLSearchParams(`id=${id}&secret=${secret}`)
    t.strictSame(Object.fromEntries(form), odd)
  })
})
