import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openBrowser } from '../support/browser.ts'
import { createAuthority } from '../support/certificates.ts'
import { startMockProvider } from '../support/mock-provider.ts'
import { beginLogin, endLogin, oidcEnv } from '../support/oidc-login.ts'
import { startStack } from '../support/stack.ts'

t.test('a provider with a certificate of a private authority', async (t) => {
  const [authority, other] = await Promise.all([createAuthority(), createAuthority()])
  const [good, expired, misnamed] = await Promise.all([
    startMockProvider(t, await authority.issue('127.0.0.1')),
    startMockProvider(t, await authority.issueExpired('127.0.0.1')),
    startMockProvider(t, await authority.issue('accounts.example.com')),
  ])
  const directory = t.testdir({})
  const caFile = join(directory, 'ca.pem')
  const otherFile = join(directory, 'other.pem')
  await Promise.all([writeFile(caFile, authority.cert), writeFile(otherFile, other.cert)])

  const providers = {
    trusted: { issuer: good.issuer('trusted'), caFile },
    unknown: { issuer: good.issuer('unknown'), caFile: undefined },
    mistaken: { issuer: good.issuer('mistaken'), caFile: otherFile },
    expired: { issuer: expired.issuer('expired'), caFile },
    misnamed: { issuer: misnamed.issuer('misnamed'), caFile },
  }
  const files = Object.entries(providers).flatMap(([name, { caFile }]) => {
    const key = `SVC_AUTHENTICATION_METHODS_OIDC_PROVIDERS_${name.toUpperCase()}_CA_FILE`
    return caFile === undefined ? [] : [[key, caFile]]
  })
  const env = oidcEnv('https://flags.example.com', providers)
  const { urls } = await startStack(t, { env: { ...env, ...Object.fromEntries(files) } })

  await t.test('lets people in when that authority is trusted', async (t) => {
    const browser = openBrowser(...urls)
    const back = good.answer(await beginLogin(browser, 'trusted'))
    t.equal((await endLogin(browser, back)).status, 302)
  })

  for (const name of ['unknown', 'mistaken', 'expired', 'misnamed']) {
    await t.test(`is not trusted when the certificate is ${name}`, async (t) => {
      const path = `/auth/v1/method/oidc/${name}/authorize`
      const answer = await openBrowser(...urls).send('GET', path)
      t.equal(answer.status, 503)
      t.notMatch(answer.text, /certificate|127\.0\.0\.1/)
    })
  }
})
