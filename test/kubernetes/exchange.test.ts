import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { call } from '../support/http.ts'
import { timeUntil } from '../support/load.ts'
import { type Application, startApplication } from './support/application.ts'
import { kubectl, signalDaemon } from './support/cluster.ts'
import { atMost } from './support/figures.ts'
import {
  account,
  audience,
  clientTokenSeconds,
  ensureInstalled,
  type Release,
} from './support/release.ts'
import { countOf, startTraffic, withoutFailure } from './support/traffic.ts'

/** For how many lifetimes of a client token an application runs; ten at night. */
const lifetimes = Number(process.env.LIFETIMES ?? 2)

/** How soon after its start an application has exchanged its token, in milliseconds. */
const exchangedMs = 5000
/** How soon a token is refused that is not accepted, in milliseconds. */
const refusedMs = 2000

t.setTimeout(lifetimes * clientTokenSeconds * 1000 + 900_000)

async function tokenFor(name: string, audience: string): Promise<string> {
  const token = await kubectl(['create', 'token', name, `--audience=${audience}`])
  return token.trim()
}

async function exchange({ url }: Release, serviceAccountToken: string) {
  const startedAt = performance.now()
  const path = '/auth/v1/method/orchestrator/serviceaccount'
  const { status } = await call(url, 'POST', path, { serviceAccountToken })
  return { status, tookMs: Math.round(performance.now() - startedAt) }
}

t.test(`an application exchanges its token, and renews for ${lifetimes} lifetimes`, async (t) => {
  const release = await ensureInstalled()
  const application: Application = await startApplication(t, release)
  await sleep(lifetimes * clientTokenSeconds * 1000)
  const { readyAfterMs, evaluations, failed, refused, exchanges, errors } =
    await application.state()
  atMost(t, 'exchange: until the first evaluation', readyAfterMs, exchangedMs, 'ms')
  atMost(t, `exchange: failed of ${evaluations} evaluations, ${exchanges} exchanges`, failed, 0)
  t.equal(refused, 0, 'no client token had expired')
  t.ok(exchanges > lifetimes, `${exchanges} exchanges`)
  t.strictSame(errors, [])
})

t.test('the token of another audience or account is refused, and others go on', async (t) => {
  const release = await ensureInstalled()
  const right = await exchange(release, await tokenFor(account, audience))
  t.equal(right.status, 200)
  const tokens = {
    'another audience': await tokenFor(account, 'elsewhere'),
    'another account': await tokenFor('default', audience),
  }
  await withoutFailure(t, release, 'refused exchanges', async () => {
    for (const [what, token] of Object.entries(tokens)) {
      const { status, tookMs } = await exchange(release, token)
      t.ok([401, 403].includes(status), `${what}: ${status}`)
      atMost(t, `exchange: refused, ${what}`, tookMs, refusedMs, 'ms')
    }
  })
})

async function withoutApiServer<T>(work: () => Promise<T>): Promise<T> {
  await signalDaemon('node1', 'kube-apiserver', 'STOP')
  try {
    return await work()
  } finally {
    await signalDaemon('node1', 'kube-apiserver', 'CONT')
  }
}

t.test('while the API server does not answer, only exchanges fail', async (t) => {
  const release = await ensureInstalled()
  const application = await startApplication(t, release)
  const token = await tokenFor(account, audience)
  const traffic = startTraffic(t, release)
  const { status, tookMs } = await withoutApiServer(() => exchange(release, token))
  const { failed, total } = await traffic.stop()
  t.equal(status, 503)
  atMost(t, 'exchange: refused, API server stopped', tookMs, refusedMs, 'ms')
  t.strictSame(failed, {})
  atMost(t, `API server stopped: failed of ${total} others`, countOf(failed), 0)
  const isBack = async () => (await exchange(release, token)).status === 200
  t.ok((await timeUntil(isBack, 30_000)) < 30_000, 'exchanges succeed again')
  t.equal((await application.state()).failed, 0, 'the application evaluated all the time')
})
