import { readFileSync } from 'node:fs'
import t from 'tap'
import { datetimePredicate, parseDatetime } from './datetime.ts'
import { numberPredicate, parseNumber } from './number.ts'
import { textPredicate } from './text.ts'

/** Texts with what they are read as, texts that are not of the type, and what holds of two texts. */
interface Cases {
  readonly read: readonly [text: string, value: number][]
  readonly none: readonly string[]
  readonly compared: readonly [operator: string, operand: string, value: string, holds: boolean][]
}

const cases: Readonly<Record<'datetime' | 'number' | 'text', Cases>> = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/comparisons.json', import.meta.url), 'utf8'),
)

for (const [name, parse, predicate] of [
  ['datetime', parseDatetime, datetimePredicate],
  ['number', parseNumber, numberPredicate],
  ['text', Number, textPredicate],
] as const) {
  const { read, none, compared } = cases[name]
  t.test(`a ${name} is read and compared as the table says`, async (t) => {
    for (const [text, value] of read) t.equal(parse(text), value, text)
    for (const text of none) t.ok(Number.isNaN(parse(text)), JSON.stringify(text))
    for (const [operator, operand, value, holds] of compared) {
      const message = JSON.stringify([value, operator, operand])
      t.equal(predicate(operator, operand)?.(value), holds, message)
    }
  })
}
