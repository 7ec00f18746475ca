import t from 'tap'
import { areQuestions, isQuestion, maxRecent, randomEntity, withRecent } from './asked.ts'

const question = (entityId: string, context = '') => ({ entityId, context })

t.test('what was asked lately is there once, the last one first', async (t) => {
  const recent = ['a', 'b', 'a'].reduce(
    (recent, entity) => withRecent(recent, question(entity)),
    withRecent([], question('a', '{"plan":"pro"}')),
  )
  t.strictSame(recent, [question('a'), question('b'), question('a', '{"plan":"pro"}')])
  const many = Array.from({ length: 20 }, (_, place) => question(`user-${place}`))
  t.equal(many.reduce(withRecent, []).length, maxRecent)
})

t.test('what is kept may be anything', async (t) => {
  t.ok(isQuestion(question('')))
  for (const other of [null, 'a', {}, { entityId: 'a' }, { entityId: 1, context: '' }])
    t.notOk(isQuestion(other))
  t.ok(areQuestions([question('a')]))
  t.notOk(areQuestions([question('a'), null]))
  t.notOk(areQuestions({}))
})

t.test('a random entity is another each time', async (t) => {
  t.match(randomEntity(), /^user-\d{1,5}$/)
  t.ok(new Set(Array.from({ length: 20 }, randomEntity)).size > 10)
})
