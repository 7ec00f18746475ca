import { fakeTime } from '@svc/runtime/testing'
import t from 'tap'
import { noTokenCache } from '../../credentials/cache/redis-cache.ts'
import { ReplayGuard } from './replay-guard.ts'

t.test('accepts the first claim of a value only', async (t) => {
  const replays = new ReplayGuard(noTokenCache)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => replays.claim('flow', 'a state', 60_000)),
  )
  t.strictSame(
    answers.filter((isFirst) => isFirst),
    [true],
  )
  t.ok(await replays.claim('flow', 'another state', 60_000))
  t.ok(await replays.claim('logout', 'a state', 60_000), 'for another purpose')
})

t.test('asks the other processes, by a hash of the value', async (t) => {
  const names: string[] = []
  const claim = async (name: string) => {
    names.push(name)
    return false
  }
  const replays = new ReplayGuard({ ...noTokenCache, claim })
  t.notOk(await replays.claim('flow', 'a state', 60_000))
  t.match(names[0], /^[\w-]{43}$/)
})

t.test('a value that is released may be claimed again, once', async (t) => {
  const replays = new ReplayGuard(noTokenCache)
  const claim = () => replays.claim('logout', 'a token', 60_000)
  t.ok(await claim())
  await replays.release('flow', 'a token')
  t.notOk(await claim(), 'one of another purpose is another one')
  await replays.release('logout', 'a token')
  t.ok(await claim())
  t.notOk(await claim())
})

t.test('what one process releases, each of them may claim', async (t) => {
  const claimed = new Set<string>()
  const shared = {
    ...noTokenCache,
    claim: async (name: string) => !claimed.has(name) && claimed.add(name).has(name),
    release: async (name: string) => void claimed.delete(name),
  }
  const [one, other] = [new ReplayGuard(shared), new ReplayGuard(shared)]
  t.ok(await one.claim('logout', 'a token', 60_000))
  t.notOk(await other.claim('logout', 'a token', 60_000))
  await one.release('logout', 'a token')
  t.ok(await other.claim('logout', 'a token', 60_000), 'also one that was refused before')
  t.notOk(await one.claim('logout', 'a token', 60_000))
})

t.test('a value stays claimed until all processes have released it', async (t) => {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  const replays = new ReplayGuard({ ...noTokenCache, release: () => released })
  t.ok(await replays.claim('logout', 'a token', 60_000))
  const releasing = replays.release('logout', 'a token')
  t.notOk(await replays.claim('logout', 'a token', 60_000))
  resolve()
  await releasing
  t.ok(await replays.claim('logout', 'a token', 60_000))
})

t.test('a claim is extended in all processes', async (t) => {
  const pass = fakeTime(t)
  const extended: number[] = []
  const extend = async (_name: string, lifetimeMs: number) => void extended.push(lifetimeMs)
  const replays = new ReplayGuard({ ...noTokenCache, extend })
  const claim = (value: string) => replays.claim('logout', value, 10_000)
  for (const value of ['a token', 'another']) t.ok(await claim(value))
  await replays.extend('logout', 'a token', 60_000)
  await pass(10_001)
  t.notOk(await claim('a token'))
  t.ok(await claim('another'))
  t.strictSame(extended, [60_000])
})
