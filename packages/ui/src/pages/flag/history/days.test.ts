import t from 'tap'
import { byDay } from './days.ts'

t.test('changes are grouped by the day of the reader', async (t) => {
  const at = (day: number, hour: number) => ({ at: new Date(2026, 10, day, hour).toISOString() })
  const changes = [at(25, 14), at(25, 1), at(24, 23), at(2, 9)]
  const groups = byDay(changes)
  t.strictSame(
    groups.map(({ day, changes }) => [day, changes.length]),
    [
      ['2026-11-25', 2],
      ['2026-11-24', 1],
      ['2026-11-02', 1],
    ],
  )
  t.strictSame(byDay([]), [])
})
