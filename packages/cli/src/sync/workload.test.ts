import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { runLine, serve } from '../run.test.support.ts'
import { WorkloadToken } from './workload.ts'

const minuteMs = 60_000

t.test('how long a token lasts is told by the clock of the service alone', async (t) => {
  const file = join(t.testdir({ token: 'of-the-account' }), 'token')
  for (const aheadMs of [-60 * minuteMs, 0, 60 * minuteMs]) {
    const at = (ms: number) => new Date(Date.now() - aheadMs + ms).toISOString()
    let lifeMs = 10 * minuteMs
    const { url, requests } = await serve(t, () => ({
      body: {
        clientToken: `token-${requests.length}`,
        authentication: { createdAt: at(0), expiresAt: at(lifeMs) },
      },
    }))
    const token = new WorkloadToken(url, file)
    t.equal(await token.get(), 'token-1')
    t.equal(await token.get(), 'token-1', `kept by a clock that is ${aheadMs} ms ahead`)
    token.forget()
    lifeMs = 0
    t.equal(await token.get(), 'token-2')
    t.equal(await token.get(), 'token-3', 'that one had ended')
  }
})

t.test('a token that does not expire is kept', async (t) => {
  const file = join(t.testdir({ token: 'of-the-account' }), 'token')
  const { url, requests } = await serve(t, () => ({
    body: { clientToken: 'token', authentication: { createdAt: new Date().toISOString() } },
  }))
  const token = new WorkloadToken(url, file)
  for (let n = 0; n < 3; n++) await token.get()
  t.equal(requests.length, 1)
})

t.test('a watch reads --token-file again when its token is refused', async (t) => {
  const folder = t.testdir({ token: 'old', flags: { 'a.yml': 'namespace: default\n' } })
  const file = join(folder, 'token')
  const stop = new AbortController()
  const sent: unknown[] = []
  const { url } = await serve(t, async ({ path, headers: { authorization } }) => {
    if (sent.at(-1) !== authorization) sent.push(authorization)
    if (authorization === 'Bearer old') {
      await writeFile(file, 'new\n')
      return { status: 401, body: { code: 16, message: 'it has expired', details: [] } }
    }
    if (path.endsWith('/apply')) stop.abort()
    return { body: { plan: 'p', items: [], unchanged: 0, revision: 7 } }
  })
  const argv = ['sync', join(folder, 'flags'), '--manager', 'm', '--watch', '1s', '--url', url]
  const timer = setTimeout(() => stop.abort(), 10_000)
  const { stderr } = await runLine([...argv, '--token-file', file], { signal: stop.signal })
  clearTimeout(timer)
  t.match(stderr, /error: it has expired/)
  t.strictSame(sent, ['Bearer old', 'Bearer new'])
})
