import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { startChromium } from '../support/chromium.ts'
import { call } from '../support/http.ts'
import { startHttpsSite } from '../support/https-site.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { attacks } from './cross-site.attacks.ts'

const host = 'flags.example.test'

/** What the browser thinks of a cookie; ours is the first, and the others are to show that it is not all. */
const sameSites = ['Strict', 'Lax', 'None'] as const

/** Another site, and another subdomain of the same site. */
const attackers = ['attacker.test', 'evil.example.test'] as const

t.test('a browser that is logged in', async (t) => {
  const ours = await startHttpsSite(t, host)
  const theirs = await startHttpsSite(t, ...attackers)
  const target = `https://${host}:${ours.port}`
  const stack = await startStack(t, { env: { SVC_SERVER_PUBLIC_URL: target } })
  ours.passTo(stack.urls[0])
  const chromium = await startChromium(t)
  await stack.api('POST', '/api/v1/namespaces', { key: 'victim', name: 'Victim' })

  const logIn = async (context: BrowserContext, sameSite: (typeof sameSites)[number]) => {
    const value = await signIn(stack)
    const cookie = { name: 'svc_client_token', value, domain: host, path: '/', sameSite }
    await context.addCookies([{ ...cookie, httpOnly: true, secure: true }])
    return value
  }

  await t.test('changes things for pages of ours', async (t) => {
    const context = await chromium.newContext()
    await logIn(context, 'Strict')
    const page = await context.newPage()
    await page.goto(`${target}/healthz`)
    const statusOf = (method: string, path: string, body?: object) =>
      statusIn(page, path, {
        method,
        ...(body && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      })
    t.equal(await statusOf('GET', '/auth/v1/session'), 200)
    t.equal(await statusOf('POST', '/api/v1/namespaces', { key: 'ours', name: 'Ours' }), 200)
    t.equal(await statusOf('DELETE', '/api/v1/namespaces/ours'), 200)
    t.equal(await statusOf('DELETE', '/auth/v1/session'), 200)
    t.equal(await statusOf('GET', '/auth/v1/session'), 401)
    t.strictSame(await context.cookies(), [], 'and forgets a login that has ended')
    await context.close()
  })

  await t.test('changes nothing for pages of others', async (t) => {
    let cases = 0
    let changes = 0
    for (const sameSite of sameSites) {
      const context = await chromium.newContext()
      const token = await logIn(context, sameSite)
      const before = await stateOf(stack, token)
      const page = await context.newPage()
      for (const attackerHost of attackers) {
        for (const attack of attacks) {
          await page.goto(`https://${attackerHost}:${theirs.port}/`)
          await attack(page, target)
          cases += 1
        }
        const after = await stateOf(stack, token)
        if (after === before) continue
        changes += 1
        t.fail(`at ${attackerHost}, with SameSite=${sameSite}: ${after}`)
      }
      await context.close()
    }
    const real = ours.seen.filter(
      ({ method, cookie, site }) =>
        method === 'POST' &&
        cookie.includes('svc_client_token') &&
        /^(cross|same)-site$/.test(site),
    )
    t.comment(`${cases} cases, ${changes} changes; ${real.length} attacks came with the cookie`)
    t.ok(cases >= 60)
    t.equal(changes, 0)
    t.ok(real.length >= 20, 'the attacks are real')
  })

  await t.test('is not logged in as another user by a page of another site', async (t) => {
    const attacker = await signIn(stack)
    for (const attackerHost of attackers) {
      const context = await chromium.newContext()
      const page = await context.newPage()
      await page.goto(`https://${attackerHost}:${theirs.port}/`)
      const body = JSON.stringify({ token: attacker })
      const url = `${target}/auth/v1/session`
      await statusIn(page, url, { method: 'POST', mode: 'no-cors', credentials: 'include', body })
      await page.setContent(
        `<form action="${url}" method="post" enctype="text/plain">
           <input name='{"token":"${attacker}","x":"' value='"}'></form>`,
      )
      await page.evaluate('document.forms[0].submit()')
      await page.waitForURL(url)
      t.match(await page.textContent('body'), /"code":7/)
      t.strictSame(await context.cookies(target), [])
      await context.close()
    }
  })

  await t.test('is anonymous when another subdomain has set a second cookie', async (t) => {
    const attacker = await signIn(stack)
    const paths = ['/', '/api', '/auth/v1', '/api/v1/namespaces']
    let cases = 0
    for (const path of paths) {
      for (const isFirst of [true, false]) {
        const context = await chromium.newContext()
        const toss = async () => {
          const page = await context.newPage()
          await page.goto(`https://evil.example.test:${theirs.port}/`)
          const cookie = `svc_client_token=${attacker}; Domain=example.test; Path=${path}; Secure`
          await page.evaluate(`document.cookie = '${cookie}'`)
          await page.close()
        }
        if (isFirst) await toss()
        await logIn(context, 'Strict')
        if (!isFirst) await toss()
        const page = await context.newPage()
        await page.goto(`${target}/healthz`)
        const affected = path.startsWith('/auth') ? '/auth/v1/tokens' : '/api/v1/namespaces'
        const before = ours.seen.length
        for (const method of ['GET', 'POST', 'GET']) {
          const status = await statusIn(page, affected, { method })
          // There is nothing to post to where tokens are listed.
          t.equal(status, method === 'POST' && affected.endsWith('tokens') ? 405 : 401, path)
          cases += 1
        }
        const sent = ours.seen.slice(before).filter(({ path }) => path === affected)
        const counts = sent.map(({ cookie }) => cookie.split('; ').length)
        t.strictSame(counts, [2, 2, 2], 'the browser sent both')
        await context.close()
      }
    }
    t.comment(`${cases} requests with a cookie of another subdomain beside ours, all refused`)
  })
})

/** What a page is answered by a request of its script; 0 where it may not know. */
function statusIn(page: Page, url: string, init: object): Promise<number> {
  const request = `fetch('${url}', ${JSON.stringify(init)})`
  return page.evaluate(`${request}.then(({ status }) => status, () => 0)`)
}

/** Signs in as pages of ours do. @returns what is in the cookie */
async function signIn({ urls, token }: Stack): Promise<string> {
  const answer = await call(urls[0], 'POST', '/auth/v1/session', { token })
  const [cookie = ''] = answer.headers.getSetCookie()
  const value = /^svc_client_token=([^;]+);/.exec(cookie)?.[1]
  if (value === undefined) throw new Error(`the login failed: ${answer.text}`)
  return value
}

/** All that an attack could change, and whether the login is still one. */
async function stateOf({ api, urls }: Stack, token: string): Promise<string> {
  const [namespaces, tokens, self] = await Promise.all([
    api('GET', '/api/v1/namespaces'),
    api('GET', '/auth/v1/tokens'),
    call(urls[0], 'GET', '/auth/v1/session', undefined, { cookie: `svc_client_token=${token}` }),
  ])
  const { authentications = [] } = tokens.body as { authentications?: readonly { id: string }[] }
  const ids = authentications.map(({ id }) => id)
  return JSON.stringify([namespaces.text, ids, self.status])
}
