import { inspect } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { Environment } from './environment.ts'
import { loadText } from './loading.test.support.ts'
import { allSettings } from './setting-keys.ts'

const canary = 's3cr3t-canary'

const file = `
db: {url: "postgres://svc:${canary}@db/svc"}
cache:
  redis:
    url: redis://:${canary}@cache:6379
bootstrap:
  token: ${canary}-${canary}
  expiration: 1h
server:
  http_port: \${NAMED}
`

/** @returns everything that a failed start could print */
function printed(directory: string, text: string, env: Environment = {}): string {
  try {
    loadText(directory, text, env)
    return ''
  } catch (error) {
    const ways = [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), `${error}`]
    return ways.join(' ').toLowerCase()
  }
}

t.test('a secret in the place of any other value is not repeated', async (t) => {
  const directory = t.testdir()
  const spellings = [
    canary,
    `"${canary}`,
    `'${canary}'`,
    `[${canary}]`,
    `{${canary}}`,
    `|\n ${canary}`,
  ]
  const odd = [`*${canary}`, `!${canary} x`, `&${canary} x`, `>\n  ${canary}`, `\${${canary}}`]
  const urls = [`postgres://${canary}@`, `postgres://u:${canary}#x@h/d`, `https://${canary}/x`]
  let refused = 0
  for (const { key, variable } of allSettings) {
    for (const value of [...spellings, ...odd, ...urls]) {
      for (const text of [`${key}: ${value}`, `log:\n- ${value}`, `${value}`]) {
        const output = printed(directory, text) + printed(directory, '', { [variable]: value })
        t.notMatch(output, canary, `${key} ${value}`)
        refused += output === '' ? 0 : 1
      }
    }
  }
  t.ok(refused > 1000, `${refused} were refused`)
})

t.test('a slip of the finger anywhere in a file shows no secret', async (t) => {
  const directory = t.testdir()
  const slip = fc.record({
    at: fc.nat(file.length),
    drop: fc.nat(12),
    add: fc.constantFrom(
      '',
      ' ',
      '\n',
      '\t',
      ':',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '#',
      '&',
      '*',
      '!',
    ),
  })
  fc.assert(
    fc.property(slip, ({ at, drop, add }) => {
      const text = file.slice(0, at) + add + file.slice(at + drop)
      return !printed(directory, text, { NAMED: canary }).includes(canary)
    }),
    { numRuns: 2000 },
  )
})
