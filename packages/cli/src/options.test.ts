import t from 'tap'
import { CliError } from './exit-codes.ts'
import { argument, option } from './options.ts'

/** What a value is refused with. */
function refusalOf(read: () => unknown): string {
  try {
    read()
    return 'it was taken'
  } catch (error) {
    return error instanceof CliError && error.exitCode === 2 ? error.message : String(error)
  }
}

t.test('a time has a unit, and is in milliseconds', async (t) => {
  const interval = option.duration('-i, --interval TIME', '', { minimumMs: 50, maximumMs: 100_000 })
  const times = ['50ms', '1s', '1m'].map((word) => interval.read([word]))
  t.strictSame(times, [50, 1000, 60_000])
  t.equal(interval.read([]), undefined)
  t.equal(interval.read(['1s', '2s']), 2000, 'the last one counts')
  for (const word of ['', '1', 's', '1.5s', '-1s', '1 s', '1y', '49ms', '1d', '9999999999999s']) {
    t.match(
      refusalOf(() => interval.read([word])),
      `--interval takes a time such as`,
      word,
    )
  }
})

t.test('a whole number is in its range', async (t) => {
  const limit = option.wholeNumber('--limit COUNT', '', { minimum: 1, maximum: 500 })
  t.equal(limit.read(['500']), 500)
  for (const word of ['0', '501', '1.5', '1e2', '0x1', '-1', '', ' 1']) {
    t.match(
      refusalOf(() => limit.read([word])),
      '--limit takes a whole number, 1 to 500',
      word,
    )
  }
})

t.test('a choice is one of its words', async (t) => {
  const type = option.choice('--type TYPE', '', ['boolean', 'variant'])
  t.equal(type.read(['variant']), 'variant')
  t.equal(type.read([]), undefined)
  t.match(
    refusalOf(() => type.read(['Boolean'])),
    '--type takes one of boolean, variant',
  )
})

t.test('an option that narrows what is done is not empty', async (t) => {
  const boundTo = option.filled('--bound-to NAMESPACE', '')
  t.equal(boundTo.read(['shop']), 'shop')
  t.equal(boundTo.read([]), undefined)
  t.equal(
    refusalOf(() => boundTo.read([''])),
    '--bound-to is empty',
  )
})

t.test('arguments and the other options are given as they are', async (t) => {
  t.equal(argument.one('KEY', '').read(['a']), 'a')
  t.equal(argument.optional('KEY', '').read([]), undefined)
  t.strictSame(argument.many('KEYS', '').read(['a', 'b']), ['a', 'b'])
  t.strictSame(argument.any('KEYS', '').read([]), [])
  t.strictSame(option.list('--tag TAG', '').read(['a', '']), ['a', ''])
  t.equal(option.flag('--on', '').read(['']), true)
  t.equal(option.flag('--on', '').read([]), false)
})
