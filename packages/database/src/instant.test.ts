import t from 'tap'
import { formatInstant, parseInstant } from './instant.ts'

const cases: readonly [text: string, seconds: number, nanos: number][] = [
  ['1970-01-01 00:00:00+00', 0, 0],
  ['2026-01-02 03:04:05.678901+00', 1767323045, 678901000],
  ['2026-01-02T03:04:05.678901+00:00', 1767323045, 678901000],
  ['2026-01-02T03:04:05.1Z', 1767323045, 100000000],
  ['2026-01-02 08:34:05+05:30', 1767323045, 0],
  ['2026-01-01 22:04:05-05', 1767323045, 0],
  ['1969-12-31 23:59:59.5+00', -1, 500000000],
  ['0001-01-01 00:00:00+00', -62135596800, 0],
  ['9999-12-31 23:59:59.999999+00', 253402300799, 999999000],
]

t.test('reads and writes instants', async (t) => {
  for (const [text, seconds, nanos] of cases) {
    const instant = parseInstant(text)
    t.strictSame(instant, { seconds, nanos }, text)
    t.strictSame(parseInstant(formatInstant(instant)), instant, text)
  }
  t.equal(formatInstant({ seconds: 0, nanos: 0 }), '1970-01-01T00:00:00Z')
  t.equal(formatInstant({ seconds: 0, nanos: 1000 }), '1970-01-01T00:00:00.000001000Z')
})

t.test('refuses what is not an instant', async (t) => {
  const others = ['', 'infinity', '2026-01-02', '2026-13-02 03:04:05+00', '2026-01-02T03:04:05']
  for (const text of others) t.throws(() => parseInstant(text), RangeError, text)
})
