import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { allowCli, newVerifier } from '../support/cli-login.ts'
import { unauthenticated } from '../support/errors.ts'
import { type Answer, call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

const codes = '/auth/v1/self/cli-codes'
const tokens = '/auth/v1/cli-tokens'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

t.test('the login of the command line', async (t) => {
  const { urls, api } = await startStack(t, { gateways: 2 })
  const [url, otherUrl = ''] = urls
  const signIn = async (settings: object = {}) => {
    const made = await api('POST', '/auth/v1/method/token', { name: 'ui', ...settings })
    const { clientToken, authentication } = made.body as {
      clientToken: string
      authentication: { id: string }
    }
    const ours = { 'sec-fetch-site': 'same-origin' }
    const signedIn = await call(url, 'POST', '/auth/v1/session', { token: clientToken }, ours)
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const browser = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
      call(url, method, path, body, { cookie, ...ours, ...headers })
    return { browser, cookie, clientToken, id: authentication.id }
  }
  const exchange = (request: object, at = url, headers = {}) =>
    call(at, 'POST', tokens, request, headers)
  const tokenOf = ({ body }: Answer) => (body as { clientToken: string }).clientToken
  const statusOf = async (token: string, at = url) =>
    (await call(at, 'GET', '/auth/v1/session', undefined, bearer(token))).status

  await t.test('is begun at one gateway, finished at another, and lasts 12 hours', async (t) => {
    const { browser } = await signIn()
    const answer = await exchange(await allowCli(browser), otherUrl)
    t.equal(answer.status, 200)
    t.match(answer.body, { clientToken: /^svc_/, expiresAt: /Z$/ })
    t.equal(answer.headers.get('cache-control'), 'no-store')
    t.strictSame(answer.headers.getSetCookie(), [])
    const { expiresAt } = answer.body as { expiresAt: string }
    const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000
    t.ok(hours > 11.9 && hours <= 12.01, `${hours} hours`)
    t.equal(
      (await call(url, 'GET', '/api/v1/namespaces', undefined, bearer(tokenOf(answer)))).status,
      200,
    )
  })

  await t.test(
    'takes the session of a browser, from a page of ours, and nothing else',
    async (t) => {
      const { browser, clientToken } = await signIn()
      const { challenge } = newVerifier()
      const body = { challenge }
      const noSession = {
        code: 7,
        message: 'only a browser that is signed in may let the command line log in',
        details: [],
      }
      const cli = tokenOf(await exchange(await allowCli(browser)))
      for (const token of [clientToken, cli]) {
        const answer = await call(url, 'POST', codes, body, bearer(token))
        t.strictSame([answer.status, answer.body], [403, noSession])
      }
      t.equal((await call(url, 'POST', codes, body)).status, 401)
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'content-type': 'text/plain' },
      ]) {
        t.equal((await browser('POST', codes, body, headers)).status, 403, JSON.stringify(headers))
      }
    },
  )

  await t.test('gives a token of a bound session the same bounds', async (t) => {
    const { browser } = await signIn({ namespaceKey: 'default', allowedAddresses: ['10.0.0.0/8'] })
    const cli = bearer(tokenOf(await exchange(await allowCli(browser))))
    const status = async (path: string) => (await call(url, 'GET', path, undefined, cli)).status
    t.equal(await status('/api/v1/namespaces/default/flags'), 200)
    t.equal(await status('/api/v1/namespaces/other/flags'), 403)
    t.equal(await status('/api/v1/namespaces'), 403)
    t.equal((await call(url, 'DELETE', '/auth/v1/session', undefined, cli)).status, 200)
    t.equal(await status('/api/v1/namespaces/default/flags'), 401)
    t.equal((await browser('GET', '/auth/v1/session')).status, 200, 'the session stays')
  })

  await t.test(
    'ends with the session, at every gateway, also in the middle of a stream',
    async (t) => {
      for (const end of ['session', 'token'] as const) {
        const { browser, id } = await signIn()
        const cli = tokenOf(await exchange(await allowCli(browser)))
        for (const at of urls) t.equal(await statusOf(cli, at), 200)
        const path = '/internal/v1/evaluation/stream/namespace/default'
        const stream = await fetch(url + path, { headers: bearer(cli) })
        t.equal(stream.status, 200)
        const ended = stream.text().catch(() => '')
        if (end === 'session') await browser('DELETE', '/auth/v1/session')
        else await api('DELETE', `/auth/v1/tokens/${id}`)
        await ended
        for (const at of urls) await waitFor(async () => (await statusOf(cli, at)) === 401)
      }
    },
  )

  await t.test('is counted like the logins of browsers', async (t) => {
    const { browser } = await signIn()
    const wrong = { code: '0'.repeat(20), verifier: newVerifier().verifier }
    const client = { 'x-forwarded-for': '198.51.100.7' }
    const answers = []
    for (let i = 0; i < 40; i += 1) answers.push(await exchange(wrong, url, client))
    t.strictSame([answers[0]?.status, answers[0]?.body], [401, unauthenticated])
    const last = answers.at(-1)
    t.equal(last?.status, 429)
    t.match(last?.body, { code: 8, message: /^too many/ })
    const right = await exchange(await allowCli(browser), url, client)
    t.strictSame([right.status, right.headers.get('retry-after')], [429, '2'])
  })

  await t.test('is in the log of events', async (t) => {
    const found = async (type: string) => {
      const { body } = await api('GET', `/auth/v1/events?type=${type}&limit=100`)
      return (body as { events: { details?: { reason?: string } }[] }).events
    }
    t.ok((await found('cli.allowed')).length > 0)
    t.ok((await found('token.created')).some(({ details }) => details?.reason === 'cli'))
  })
})
