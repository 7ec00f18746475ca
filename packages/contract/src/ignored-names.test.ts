import { readFile } from 'node:fs/promises'
import t from 'tap'
import { parse } from 'yaml'
import { findIgnored } from './ignored-names.ts'
import { bound } from './testing.ts'

const ignoredBy = (operation: string, body: Readonly<Record<string, unknown>>) =>
  findIgnored(bound(operation).operation.input, body)

t.test('the names that a body has in vain', async (t) => {
  const file = new URL('../../../test/fixtures/ignored-names.yml', import.meta.url)
  const claims: Record<
    string,
    Record<string, [body: Record<string, unknown>, ignored: string | null][]>
  > = parse(await readFile(file, 'utf8'))
  for (const [claim, byOperation] of Object.entries(claims)) {
    for (const [operation, cases] of Object.entries(byOperation)) {
      for (const [body, ignored] of cases) {
        t.equal(ignoredBy(operation, body) ?? null, ignored, `${claim}: ${JSON.stringify(body)}`)
      }
    }
  }
})

t.test('many and long names are counted', async (t) => {
  const bodyOf = (length: number, nameOf: (i: number) => string) =>
    Object.fromEntries(Array.from({ length }, (_, i) => [nameOf(i), i]))
  const all =
    ignoredBy(
      'UpdateFlag',
      bodyOf(5000, (i) => `name-${i}`),
    ) ?? ''
  t.match(all, /^name-0, (name-\d, ){9}\+4990$/)
  for (const length of [60, 128, 300, 100_000]) {
    const text =
      ignoredBy(
        'UpdateFlag',
        bodyOf(12, (i) => `${'x'.repeat(length)}${i}`),
      ) ?? ''
    t.ok(text.length <= 256, `${text.length} bytes`)
    t.match(text, /(^|, )\+\d+$/)
  }
})
