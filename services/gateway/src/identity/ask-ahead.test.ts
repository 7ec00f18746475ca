import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import {
  away,
  identify,
  identityOf,
  open,
  refused,
  sender,
  tokenOf,
} from './identities.test.support.ts'

for (const [what, forEvaluation, afterMs] of [
  ['for evaluation', true, 23_000],
  ['for what auth has to vouch for', false, 3100],
] as const) {
  t.test(`asks ahead ${what}, and no request waits for it`, async (t) => {
    const { auth, identities, clock } = await open(t, { follow: true })
    await identify(identities, 'a', forEvaluation)
    const answered = Promise.withResolvers<void>()
    auth.answer = async (token) => {
      await answered.promise
      return identityOf(token)
    }
    clock.skippedMs = afterMs
    await waitFor(() => identities.isFollowing)
    const goOn = () => identities.identify(tokenOf('a'), forEvaluation, sender)
    for (let i = 0; i < 100; i += 1) t.match(goOn(), { name: 'a' })
    await waitFor(() => auth.asked.length > 1)
    t.match(goOn(), { name: 'a' })
    answered.resolve()
    clock.skippedMs += afterMs * 0.9
    await waitFor(() => identities.isFollowing && !(goOn() instanceof Promise))
    t.ok(auth.asked.length <= 3, 'and then for the next time')
  })
}

t.test('asks ahead once a second while auth cannot say', async (t) => {
  const { auth, identities, clock } = await open(t, { follow: true })
  await identify(identities, 'a', true)
  let asked = 0
  auth.answer = async () => {
    asked += 1
    throw new AppError('internal', 'broken', 'broken')
  }
  for (let seconds = 0; seconds < 3; seconds += 1) {
    clock.skippedMs = 23_000 + 1001 * seconds
    await waitFor(() => identities.isFollowing)
    const before = asked
    for (let i = 0; i < 10; i += 1) {
      t.match(identities.identify(tokenOf('a'), true, sender), { name: 'a' })
      await sleep(2)
    }
    await waitFor(() => asked > before)
    await sleep(20)
    t.match(identities.identify(tokenOf('a'), true, sender), { name: 'a' }, 'it is still known')
    t.equal(asked, before + 1)
  }
})

t.test('in an outage asks ahead once a second for all tokens', async (t) => {
  const { auth, identities, clock } = await open(t, { follow: true })
  const tokens = ['a', 'b', 'c', 'd']
  for (const token of tokens) await identify(identities, token, true)
  auth.answer = away
  clock.skippedMs = 23_000
  await waitFor(() => identities.isFollowing)
  const goOn = (token: string) => identities.identify(tokenOf(token), true, sender)
  t.match(goOn('a'), { name: 'a' })
  await waitFor(() => auth.asked.length === tokens.length + 1)
  // Until the answer is back.
  await sleep(100)
  clock.skippedMs += 1001
  await waitFor(() => identities.isFollowing)
  for (const token of tokens) t.match(goOn(token), { name: token })
  await waitFor(() => auth.asked.length > tokens.length + 1)
  await sleep(100)
  t.equal(auth.asked.length, tokens.length + 2)
})

t.test('a token that is refused ahead of time is refused at once', async (t) => {
  const { auth, identities, clock } = await open(t, { follow: true })
  await identify(identities, 'a', true)
  auth.answer = auth.refuse
  clock.skippedMs = 23_000
  await waitFor(() => identities.isFollowing)
  const goOn = () => identities.identify(tokenOf('a'), true, sender)
  t.match(goOn(), { name: 'a' })
  await waitFor(() => {
    const found = goOn()
    if (!(found instanceof Promise)) return false
    found.catch(() => {})
    return true
  })
  await t.rejects(identify(identities, 'a', true), refused)
})
