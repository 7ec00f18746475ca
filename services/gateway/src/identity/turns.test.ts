import t, { type Test } from 'tap'
import {
  away,
  identify,
  identityOf,
  open,
  outage,
  refused,
  sender,
  tokenOf,
} from './identities.test.support.ts'
import type { Identities } from './identities.ts'

/** Requests with one token that have waited for one answer; the first does something in its turn. */
async function identifyTwo(identities: Identities, inFirstTurn: () => void) {
  const first = identify(identities, 'a', true).finally(inFirstTurn)
  const [, second] = await Promise.allSettled([first, identify(identities, 'a', true)])
  return second.status === 'fulfilled' ? second.value : second.reason
}

/** The most of `count` requests that go on within one turn of the event loop, each of which takes a while there. */
async function mostInTurn(identities: Identities, count: number): Promise<number> {
  let inTurn = 0
  let most = 0
  let isOver = false
  const look = () => {
    most = Math.max(most, inTurn)
    inTurn = 0
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  const goOn = () => {
    inTurn += 1
    const until = performance.now() + 6
    while (performance.now() < until);
  }
  const asked = Array.from({ length: count }, () => identify(identities, 'a', true))
  await Promise.all(asked.map((one) => one.then(goOn, goOn)))
  isOver = true
  look()
  return most
}

for (const [what, answer] of [
  ['an answer', undefined],
  ['a refusal', 'refuse'],
  ['an outage', 'away'],
] as const) {
  t.test(`those that have waited for ${what} go on in turns`, async (t) => {
    const { auth, identities } = await open(t, { follow: false })
    if (answer === 'refuse') auth.answer = auth.refuse
    if (answer === 'away') auth.answer = away
    t.ok((await mostInTurn(identities, 10)) <= 2)
  })
}

t.test('a request whose client has left while it waited goes no further', async (t) => {
  const { identities } = await open(t, { follow: false })
  const goOn = (hasLeft: boolean) =>
    identities.identify(tokenOf('a'), true, { ...sender, hasLeft }) as Promise<unknown>
  const [left, stays] = await Promise.allSettled([goOn(true), goOn(false)])
  t.match(left, { status: 'rejected', reason: { code: 'canceled' } })
  t.match(stays, { status: 'fulfilled', value: { name: 'a' } })
})

t.test('a token that expires while a request waits for its turn is refused', async (t) => {
  const { auth, identities, clock } = await open(t, { follow: false })
  auth.answer = async (token) => identityOf(token, 500)
  t.match(await identifyTwo(identities, () => (clock.skippedMs += 400)), { name: 'a' })
  clock.skippedMs += 500
  t.match(await identifyTwo(identities, () => (clock.skippedMs += 600)), refused)
})

t.test('a request that waits for its turn for more than a second is refused', async (t) => {
  const ofToken = async (t: Test, answer: 'good' | 'bad' | 'none', ms: number) => {
    const { auth, identities, clock } = await open(t, { follow: false })
    if (answer === 'bad') auth.answer = auth.refuse
    if (answer === 'none') auth.answer = away
    return identifyTwo(identities, () => (clock.skippedMs += ms))
  }
  const overloaded = { code: 'unavailable', reason: 'overloaded' }
  t.match(await ofToken(t, 'good', 1000), overloaded)
  t.match(await ofToken(t, 'bad', 1000), overloaded)
  t.match(await ofToken(t, 'none', 1000), overloaded)
  t.match(await ofToken(t, 'good', 999), { name: 'a' })
  t.match(await ofToken(t, 'bad', 999), refused)
  t.match(await ofToken(t, 'none', 999), { ...outage, reason: 'unavailable' })
})
