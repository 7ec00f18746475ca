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
  t.notOk(await new ReplayGuard({ claim }).claim('flow', 'a state', 60_000))
  t.match(names[0], /^[\w-]{43}$/)
})
