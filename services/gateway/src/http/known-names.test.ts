import fc from 'fast-check'
import t from 'tap'
import { KnownNames } from './known-names.ts'

function find(names: KnownNames, name: string, hash = 0): string {
  const text = `{"${name}":1}`
  const start = 2
  const known = names.find(Buffer.from(text), start, start + name.length, hash)
  return known ?? names.learn(name, hash)
}

t.test('a name is what was read, whatever had its slot before', async (t) => {
  const names = new KnownNames()
  const samples = fc.sample(fc.string({ maxLength: 80 }), { numRuns: 2000, seed: 1 })
  const ascii = samples.map((text) => text.replace(/[^ -~]/g, '-'))
  for (const name of [
    ...ascii,
    ...ascii.toReversed(),
    'flagKey',
    'flagKeys',
    'flagKex',
    'flagKey',
  ]) {
    for (const hash of [0, 1, -1]) {
      if (find(names, name, hash) !== name) t.fail(name)
    }
  }
  t.equal(find(names, '__proto__'), '__proto__')
  t.equal(find(names, ''), '')
})

t.test('a long name is not kept, and still right', async (t) => {
  const names = new KnownNames()
  for (const length of [64, 65, 10_000]) {
    const name = 'n'.repeat(length)
    t.equal(find(names, name), name)
    t.equal(find(names, `${name.slice(1)}m`), `${name.slice(1)}m`)
  }
})
