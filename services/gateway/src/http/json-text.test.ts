import fc from 'fast-check'
import t from 'tap'
import { quote, quoteAll } from './json-text.ts'

/** Halves of surrogate pairs, too. */
const text = fc.oneof(
  fc.string(),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
)

t.test('a text is written as JSON has it', async (t) => {
  fc.assert(fc.property(text, (text) => quote(text) === JSON.stringify(text)))
  for (const text of ['', '"', '\\', '\n', '\0', 'ü', '\u2028', '\ud800', '😀', '\x7f']) {
    t.equal(quote(text), JSON.stringify(text))
  }
})

t.test('so is a list of texts', async (t) => {
  fc.assert(fc.property(fc.array(text), (texts) => quoteAll(texts) === JSON.stringify(texts)))
  t.equal(quoteAll(['', '']), '["",""]')
})
