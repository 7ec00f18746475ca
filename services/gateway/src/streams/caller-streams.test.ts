import { bound } from '@svc/contract/testing'
import { Authentication } from '@svc/proto/auth/v1/authentications'
import { Identity } from '@svc/proto/auth/v1/identities'
import t from 'tap'
import { unauthenticated } from '../identity/errors.ts'
import { CallerStreams } from './caller-streams.ts'
import type { EventStream } from './event-stream.ts'
import type { StreamOptions } from './event-streams.ts'

const { access } = bound('WatchNamespace').operation
const recordId = '7d1b1c9e-0c55-4a3c-9f7c-6d9a2f0c7a11'

/** A stream of a credential, whose clock, heartbeats and answers of auth the test decides. */
function openStream(id: string, goodForMs: number) {
  const clock = { now: 1000 }
  const auth = { asked: 0, isGood: true, ended: 0 }
  let options: StreamOptions | undefined
  const stream = { isOpen: true, end: () => (auth.ended += 1) } as unknown as EventStream
  const identity = Identity.fromPartial({
    authentication: Authentication.fromPartial({ id }),
    tokenHash: Buffer.alloc(32),
  })
  const streams = new CallerStreams(
    {
      has: () => true,
      publish: () => {},
      end: () => {},
      open(_reply, _topicKey, given) {
        options = given
        return stream
      },
    },
    {
      goodForMs: () => goodForMs,
      isRevoked: () => false,
      onRevoked: () => () => true,
      async identifyTicket() {
        auth.asked += 1
        if (!auth.isGood) throw unauthenticated('expired')
        return identity
      },
    },
    { maxStreamsPerCaller: 1, maxStreamsPerNamespace: 1 },
    () => clock.now,
  )
  const caller = { identity, access, namespaceKey: 'default', address: '192.0.2.1' }
  streams.open(undefined as never, 'default', caller, { maxWaitingBytes: 1 })
  /** @returns whether the stream goes on after a heartbeat that much later */
  const beat = async (afterMs: number) => {
    clock.now += afterMs
    const goesOn = options?.mayGoOn?.()
    await new Promise((resolve) => setImmediate(resolve))
    return goesOn === true && auth.ended === 0
  }
  return { auth, beat }
}

t.test('a stream of a token continues for as long as auth accepts it', async (t) => {
  const { auth, beat } = openStream(recordId, 60_000)
  for (let i = 0; i < 10; i++) t.ok(await beat(15_000))
  t.equal(auth.asked, 10)
  auth.isGood = false
  t.notOk(await beat(15_000))
})

t.test('a stream of a JWT continues until that expires, without a call', async (t) => {
  const { auth, beat } = openStream('', 60_000)
  for (let i = 0; i < 3; i++) t.ok(await beat(15_000))
  t.ok(await beat(14_999))
  t.notOk(await beat(1))
  t.equal(auth.asked, 0)
})
