import { fakeTime } from '@svc/runtime/testing'
import t from 'tap'
import { Warnings } from './warnings.ts'

t.test('the same is said once a minute', async (t) => {
  const wait = fakeTime(t)
  const lines: string[] = []
  const warnings = new Warnings({ warn: (line) => void lines.push(line) })
  for (let i = 0; i < 3; i++) {
    warnings.warn('a', `one ${i}`)
    warnings.warn('b', `two ${i}`)
    await wait(30_000)
  }
  t.strictSame(lines, [
    'svc flags: one 0',
    'svc flags: two 0',
    'svc flags: one 2',
    'svc flags: two 2',
  ])
})

t.test(
  'what was said is remembered of so many things only, and a log that throws changes nothing',
  async (t) => {
    let count = 0
    const warnings = new Warnings({
      warn() {
        count++
        throw new Error('no log')
      },
    })
    for (let i = 0; i <= 1000; i++) warnings.warn(`flag ${i}`, '')
    t.equal(count, 1001)
    warnings.warn('flag 1000', '')
    t.equal(count, 1001)
    warnings.warn('flag 0', '')
    t.equal(count, 1002)
  },
)
