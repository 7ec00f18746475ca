import { readFileSync } from 'node:fs'
import { type InstrumentDescription, instruments } from '@svc/telemetry'
import t from 'tap'
import { prometheusNameOf } from '../support/metrics.ts'

const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
const all = Object.entries<InstrumentDescription>(instruments)

t.test('docs/metrics.md has every metric as it is', async (t) => {
  const rows = all.map(([name, { kind, labels, limit, of = ['all'], about }]) => {
    const shown = labels.map((label) => `\`${label.replaceAll('.', '_')}\``).join(', ')
    const [plain, services] = [`\`${prometheusNameOf(name)}\``, of.join(', ')]
    return `| ${plain} | ${kind} | ${shown} | ${limit} | ${services} | ${about} |`
  })
  const [, table = ''] = page.split('|---|---|---|---|---|---|\n')
  t.strictSame(table.trimEnd().split('\n'), rows)
})

t.test('no metric can have more lines than it may', async (t) => {
  for (const [name, { kind, bounds = [], limit }] of all) {
    t.ok(limit >= 1 && limit <= 1100, name)
    t.equal(kind === 'histogram', bounds.length > 0, name)
    t.ok(bounds.length <= 7, `${name} has 8 buckets at most`)
    t.strictSame(
      bounds,
      bounds.toSorted((a, b) => a - b),
      name,
    )
  }
})

t.test('all that a service measures has less than 3,000 lines', async (t) => {
  for (const service of ['gateway', 'auth', 'resource'] as const) {
    const own = all.filter(([, { of }]) => of === undefined || of.includes(service))
    // Each has two lines of comment; a histogram has a line a bucket, one of them without a bound, a sum and a count.
    const lines = own.reduce((sum, [, { bounds, limit }]) => {
      return sum + 2 + limit * (bounds === undefined ? 1 : bounds.length + 3)
    }, 0)
    t.comment(`${service}: ${lines} lines`)
    t.ok(lines < 3000, `${service}: ${lines} lines`)
  }
})

t.test('a label never says who or what exactly', async (t) => {
  const secret = /entity|token|user|path|url|error\.message|address|principal|query|text/
  const labels = all.flatMap(([name, { labels }]) => labels.map((label) => `${name} ${label}`))
  t.strictSame(
    labels.filter((label) => secret.test(label.split(' ')[1] ?? '')),
    [],
  )
})
