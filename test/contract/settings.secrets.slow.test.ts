import { inspect } from 'node:util'
import { authSettings } from '@svc/auth/settings'
import fc from 'fast-check'
import t from 'tap'
import { loadText } from '../support/settings.ts'

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
function printed(directory: string, text: string, env: Record<string, string> = {}): string {
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
  const quoted = [canary, `"${canary}`, `'${canary}'`, `|\n ${canary}`, `>\n  ${canary}`]
  const nested = [`[${canary}]`, `{${canary}}`, `*${canary}`, `!${canary} x`, `&${canary} x`]
  const urls = [`postgres://${canary}@`, `postgres://u:${canary}#x@h/d`, `https://${canary}/x`]
  const values = [...quoted, ...nested, ...urls, `\${${canary}}`]
  const outputs = values.flatMap((value) => [
    printed(directory, `log:\n- ${value}`),
    printed(directory, value),
  ])
  for (const setting of authSettings.index.settings) {
    const key = setting.key.replace('<name>', 'corp')
    const variable = setting.variable?.replace('<NAME>', 'CORP').replace('<KEY>', 'KEY')
    for (const value of values) {
      outputs.push(printed(directory, `${key}: ${value}`))
      if (variable !== undefined) outputs.push(printed(directory, '', { [variable]: value }))
    }
  }
  for (const output of outputs) if (output.includes(canary)) t.fail(output)
  const refused = outputs.filter((output) => output !== '').length
  t.ok(refused > 1000, `${refused} were refused`)
})

t.test('a typing error anywhere in a file shows no secret', async (t) => {
  const directory = t.testdir()
  const typo = fc.record({
    at: fc.nat(file.length),
    drop: fc.nat(12),
    add: fc.constantFrom('', ...' \n\t:{}[]"\'#&*!'),
  })
  fc.assert(
    fc.property(typo, ({ at, drop, add }) => {
      const text = file.slice(0, at) + add + file.slice(at + drop)
      return !printed(directory, text, { NAMED: canary }).includes(canary)
    }),
    { numRuns: 1000 },
  )
})
