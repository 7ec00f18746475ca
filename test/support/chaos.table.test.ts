import t from 'tap'
import { areAllMet, toTable } from './chaos.table.ts'
import { figure, readFigures } from './figures.ts'

const rows = {
  'R-1': { scenario: 'it rains', tests: ['rain'] },
  'R-2': { scenario: 'it snows', tests: ['snow'] },
}

const dry = { row: 'R-1', what: 'drops', bound: { atMost: 0 }, measured: 0 }
const warm = { row: 'R-2', what: 'warmth', bound: { atLeast: 1, unit: 'K' }, measured: 0.5 }
const slow = { row: 'R-1', what: 'wait', bound: { atMost: 20, unit: 'ms' }, measured: 12.345 }

t.test('the table has a line for each figure, below each other those of a row', async (t) => {
  t.equal(
    toTable(rows, [dry, warm, slow]),
    [
      'row  scenario  figure to hold        measured',
      'R-1  it rains  drops: none           0         met',
      '               wait: at most 20 ms   12.35 ms  met',
      'R-2  it snows  warmth: at least 1 K  0.50 K    NOT MET',
    ].join('\n'),
  )
})

t.test('a row without a figure is not met', async (t) => {
  t.match(toTable(rows, [dry]), /^R-2 {2}it snows {2}has no figure +NOT MET$/m)
  t.notOk(areAllMet(rows, [dry]))
  t.notOk(areAllMet(rows, [dry, warm]))
  t.ok(areAllMet(rows, [dry, { ...warm, measured: 1 }]))
})

t.test('a figure is asserted, and one that was not measured fails', async (t) => {
  const asserted: boolean[] = []
  const test = { ok: (is: boolean) => asserted.push(is) > 0, comment: () => {} }
  const measure = (measured: number) => figure(test as never, 'R-1', 'w', { atMost: 1 }, measured)
  for (const measured of [0, 1, 1.1, Number.NaN, Number.POSITIVE_INFINITY]) measure(measured)
  t.strictSame(asserted, [true, true, false, false, false])
})

t.test('a file that is not there has no figures', async (t) => {
  t.strictSame(readFigures('/nonexistent/figures'), [])
})
