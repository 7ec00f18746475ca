import { fakeTime } from '@svc/runtime/testing'
import t from 'tap'
import { maxPositions, Positions } from './positions.ts'

const hourMs = 3_600_000

t.test('a position has the last revision and how long it took', async (t) => {
  const positions = new Positions()
  positions.note({ namespaceKey: 'a', revision: 1, ageMs: 12.4 }, true)
  positions.note({ namespaceKey: 'b', revision: 2, ageMs: undefined }, true)
  positions.note({ namespaceKey: 'a', revision: 3, ageMs: 41.4 }, true)
  t.strictSame(positions.list(), [
    { namespaceKey: 'a', revision: 3, tookMs: 41 },
    { namespaceKey: 'b', revision: 2 },
  ])
})

t.test('what was loaded at the start took no time that means anything', async (t) => {
  const positions = new Positions()
  positions.note({ namespaceKey: 'a', revision: 1, ageMs: 5000 }, false)
  positions.note({ namespaceKey: 'old', revision: 2, ageMs: hourMs + 1 }, false)
  t.strictSame(positions.list(), [{ namespaceKey: 'a', revision: 1 }])
})

t.test('a position is forgotten after an hour, and the earliest when there are many', async (t) => {
  const advance = fakeTime(t)
  const positions = new Positions()
  for (let revision = 1; revision <= maxPositions + 2; revision++) {
    positions.note({ namespaceKey: `n${revision}`, revision, ageMs: 1 }, true)
  }
  t.equal(positions.list().length, maxPositions)
  t.equal(positions.list().at(-1)?.namespaceKey, 'n3')
  await advance(hourMs)
  positions.note({ namespaceKey: 'n7', revision: 5000, ageMs: 1 }, true)
  await advance(2)
  t.match(positions.list(), [{ namespaceKey: 'n7', revision: 5000 }])
})
