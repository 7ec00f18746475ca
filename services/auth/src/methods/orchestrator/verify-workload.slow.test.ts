import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openLog, settingsFor } from '../../auth.test.support.ts'
import type { ReviewToken } from './token-reviews.ts'
import { workloadVerifier } from './verify-workload.ts'

const { orchestrator } = settingsFor('postgres://svc@127.0.0.1/svc').authentication.methods

const confirmed = {
  authenticated: true,
  audiences: ['flags'],
  user: { username: 'system:serviceaccount:shop:client' },
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = `${encode({ alg: 'RS256' })}.${encode({ exp: 4_000_000_000 })}.c2ln`

const unavailable = {
  code: 'unavailable',
  message: 'service accounts cannot be verified at present, try again',
}

/** Exchanges with an API server, and how often that was asked. */
function open(answer: ReviewToken) {
  const { log, lines } = openLog()
  const asked = { count: 0 }
  const review: ReviewToken = (token, signal) => {
    asked.count += 1
    return answer(token, signal)
  }
  const settings = { ...orchestrator, audience: 'flags', serviceAccounts: ['shop:client'] }
  const verify = workloadVerifier(settings, review, log)
  // Three addresses, so that none of them has more than its share of the queue.
  const atOnce = (count: number) =>
    Promise.allSettled(Array.from({ length: count }, (_, i) => verify(token, `10.0.0.${i % 3}`)))
  return { asked, lines, verify, atOnce }
}

t.test(
  'those that run out of time in the queue do not keep the next ones from a review',
  async (t) => {
    const { atOnce, lines, verify } = open(async (_token, signal) => {
      await sleep(300, undefined, { signal })
      return confirmed
    })
    const outcomes = await atOnce(40)
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    for (const one of refused) t.match(one, { reason: unavailable })
    t.ok(refused.length >= 5, `${refused.length} ran out of time`)
    t.match(await verify(token, '10.0.0.9'), { account: { name: 'client' } })
    t.strictSame(lines, [], 'the API server is not said to fail')
  },
)

t.test('an API server that does not answer is left alone after that', async (t) => {
  const { asked, atOnce, lines, verify } = open((_token, signal) =>
    sleep(60_000, undefined, { signal }),
  )
  for (const one of await atOnce(10)) t.match(one, { reason: unavailable })
  await t.rejects(verify(token, '10.0.0.9'), unavailable)
  t.equal(asked.count, 10)
  t.match(lines, [{ msg: 'the API server of the cluster reviews no tokens' }])
})
