import t from 'tap'
import { endOf, inGroups, loopbackUrl, readCliLink } from './link.ts'

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

t.test('a link of the command line is read', async (t) => {
  t.strictSame(readCliLink(`#challenge=${challenge}&port=41234&host=laptop`), {
    challenge,
    port: 41_234,
    host: 'laptop',
  })
  t.strictSame(readCliLink(`challenge=${challenge}`), { challenge, port: undefined, host: '' })
  t.equal(readCliLink('#result=done'), 'done')
  t.equal(readCliLink('#result=failed'), 'failed')
})

t.test('any other link is none', async (t) => {
  const bad = [
    '',
    '#port=41234',
    `#challenge=${challenge.slice(1)}`,
    `#challenge=${challenge}x`,
    `#challenge=${challenge}&port=`,
    `#challenge=${challenge}&port=0`,
    `#challenge=${challenge}&port=65536`,
    `#challenge=${challenge}&port=080`,
    `#challenge=${challenge}&port=80%40evil.example`,
    `#challenge=${challenge}&port=80%2F`,
    `#challenge=${challenge}&port=-1`,
    '#result=other',
  ]
  for (const hash of bad) t.equal(readCliLink(hash), undefined, hash)
})

t.test('what the link calls the machine cannot look like something else', async (t) => {
  const hostOf = (host: string) => {
    const link = readCliLink(`#challenge=${challenge}&host=${encodeURIComponent(host)}`)
    return typeof link === 'object' ? link.host : undefined
  }
  t.equal(hostOf('Adas MacBook'), 'Adas MacBook')
  t.equal(hostOf('a\u202eb\u0000c\u200b\n'), 'abc')
  t.equal(hostOf('<b>x</b>'), '<b>x</b>', 'which React prints as it is')
  t.equal(hostOf('💻'.repeat(101)), '💻'.repeat(100))
})

t.test('an answer goes to this machine', async (t) => {
  t.equal(
    loopbackUrl({ challenge }, 41_234, { code: 'ABC' }),
    `http://127.0.0.1:41234/?code=ABC&state=${challenge}`,
  )
  t.equal(
    loopbackUrl({ challenge }, 1, { error: 'access_denied' }),
    `http://127.0.0.1:1/?error=access_denied&state=${challenge}`,
  )
})

t.test('a code is shown in groups', async (t) => {
  t.equal(inGroups('0123456789ABCDEFGHJK'), '01234-56789-ABCDE-FGHJK')
})

t.test('the token ends with the session, and after twelve hours at most', async (t) => {
  const now = Date.parse('2026-11-25T10:00:00Z')
  t.equal(endOf('2026-11-25T11:00:00Z', now), now + 3_600_000)
  t.equal(endOf('2026-12-25T11:00:00Z', now), now + 12 * 3_600_000)
  t.equal(endOf(undefined, now), now + 12 * 3_600_000)
})
