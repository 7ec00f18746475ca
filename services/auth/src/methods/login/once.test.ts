import t from 'tap'
import { noTokenCache } from '../../credentials/cache/token-cache.ts'
import { Once } from './once.ts'

t.test('tells the first from all others', async (t) => {
  const once = new Once(noTokenCache)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => once.mark('flow', 'a state', 60_000)),
  )
  t.strictSame(
    answers.filter((isFirst) => isFirst),
    [true],
  )
  t.ok(await once.mark('flow', 'another state', 60_000))
  t.ok(await once.mark('logout', 'a state', 60_000), 'for another purpose')
})

t.test('asks the other processes, by a name that gives nothing away', async (t) => {
  const names: string[] = []
  const markOnce = async (name: string) => {
    names.push(name)
    return false
  }
  t.notOk(await new Once({ markOnce }).mark('flow', 'a state', 60_000))
  t.match(names[0], /^[\w-]{43}$/)
})
