// The profile `oidc` of docker-compose.yml: a login at the demo identity provider.
import assert from 'node:assert/strict'
import { compose, containers, docker, freePort, port, startUp, writeSettings } from './stack.mjs'
import { check, waitFor } from './tally.mjs'

/** Needs a stack that runs. Starts it anew with the provider. */
export async function logsIn() {
  const demoPort = await freePort(0)
  const site = `http://localhost:${port}`
  await check(
    'with the profile oidc a demo identity provider starts, for this machine alone',
    async () => {
      await writeSettings(
        'COMPOSE_PROFILES=oidc',
        'SVC_CONFIG=./deploy/oidc/config.yml',
        `OIDC_PORT=${demoPort}`,
        `SVC_SERVER_PUBLIC_URL=${site}`,
        `SVC_AUTHENTICATION_METHODS_OIDC_PROVIDERS_DEMO_ISSUER_URL=http://localhost:${demoPort}`,
      )
      await startUp()
      assert.match(
        await compose('logs', 'oidc'),
        /WARNING: a demo identity provider lets everyone in/,
      )
      const address = await compose('port', 'oidc', '9000')
      assert.equal(address.trim(), `127.0.0.1:${demoPort}`)
    },
  )
  await check('its page says that it is a demo, and a demo user is signed in', () => signIn(site))
  await check('auth finds it again after a crash', async () => {
    const [id] = await containers('auth')
    await docker('exec', id, 'sh', '-c', 'kill -9 $(cat /proc/1/task/1/children)').catch(() => {})
    // A client that begins logins more often is limited.
    await waitFor(60_000, () => signIn(site), 5000)
  })
}

/** As a browser does, whose cookies are of `localhost` at every port. */
export async function signIn(site) {
  const cookies = new Map()
  const browse = async (url) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const options = { redirect: 'manual', signal: AbortSignal.timeout(5000) }
    const answer = await fetch(url, { ...options, headers: { cookie, accept: 'text/html' } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    return location === null
      ? { url, status: answer.status, text: await answer.text() }
      : browse(new URL(location, url).href)
  }
  const page = await browse(`${site}/auth/v1/method/oidc/demo/authorize?state=/flags`)
  assert.match(page.text, /<strong>DEMO<\/strong>/, page.url)
  const end = await browse(new URL('?as=ada', page.url).href)
  assert.equal(new URL(end.url).pathname, '/flags', `${end.url} ${end.status}`)
  const cookie = `svc_client_token=${cookies.get('svc_client_token')}`
  const self = await fetch(`${site}/auth/v1/self`, { headers: { cookie } })
  assert.equal(self.status, 200)
  assert.match(await self.text(), /ada@demo\.invalid/)
}
