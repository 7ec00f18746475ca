import t from 'tap'
import { openLog } from '../../auth.test.support.ts'
import { readFixture } from '../../fixtures.test.support.ts'
import { oidcPolicy, warnOfPatterns } from './login-policy.ts'
import { acmeIssuer, acmeSettings, section } from './oidc.test.support.ts'

const settingsWith = (patterns: string, more: Readonly<Record<string, string>> = {}) =>
  acmeSettings({ ...(patterns && { [`${section}_EMAIL_MATCHES`]: patterns }), ...more })

/** A login with this e-mail address. */
const login = (
  email: string | undefined,
  verified: string | undefined,
  { provider = 'acme', issuer = acmeIssuer } = {},
) => ({
  issuer,
  metadata: Object.fromEntries(
    Object.entries({ provider, email, email_verified: verified })
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [`io.svc.auth.oidc.${key}`, String(value)]),
  ),
})

t.test('allows every login of a provider where no pattern is set', async (t) => {
  const isAllowed = oidcPolicy(settingsWith(''))
  t.ok(isAllowed(login(undefined, undefined)))
  t.ok(isAllowed(login('ada@example.com', 'false')))
})

t.test('allows an address that matches as a whole', async (t) => {
  const isAllowed = oidcPolicy(settingsWith('.*@example\\.com ada@other\\.example'))
  for (const email of ['ada@example.com', 'bob@example.com', 'ada@other.example']) {
    t.ok(isAllowed(login(email, 'true')), email)
  }
  const refused = [
    ...['ada@example.org', 'ada@example.com.evil.org', 'ada@evil.example.com', 'bob@other.example'],
    ...['ada@EXAMPLE.COM', 'ada@exampleXcom', 'x\nada@example.com', 'ada@example.com\n', ''],
    ...['ada@other.example\n', 'aada@other.example', 'ada@other.example.com', 'example.com'],
  ]
  for (const email of refused) t.notOk(isAllowed(login(email, 'true')), JSON.stringify(email))
})

t.test('requires a verified address, unless the provider is trusted', async (t) => {
  const pattern = '.*@example\\.com'
  const trusting = { [`${section}_PROVIDERS_ACME_TRUST_UNVERIFIED_EMAIL`]: 'true' }
  const [strict, trustful] = [settingsWith(pattern), settingsWith(pattern, trusting)].map(
    oidcPolicy,
  )
  const email = 'ada@example.com'
  for (const [verified, byStrict, byTrustful] of [
    ['true', true, true],
    ['false', false, true],
    [undefined, false, true],
  ] as const) {
    t.equal(strict?.(login(email, verified)), byStrict, `${verified}`)
    t.equal(trustful?.(login(email, verified)), byTrustful, `${verified}, trusted`)
  }
  t.notOk(trustful?.(login(undefined, 'true')), 'there has to be one')
})

t.test('refuses logins of a provider that is no longer configured', async (t) => {
  const known = settingsWith('')
  for (const provider of ['gone', '__proto__']) {
    for (const issuer of [acmeIssuer, '']) {
      t.notOk(oidcPolicy(known)(login('ada@example.com', 'true', { provider, issuer })), provider)
    }
  }
})

t.test('refuses logins of another issuer under the name of a provider', async (t) => {
  const isAllowed = oidcPolicy(settingsWith(''))
  for (const issuer of ['', 'https://127.0.0.1:2', `${acmeIssuer}/`, `${acmeIssuer}1`]) {
    t.notOk(isAllowed(login('ada@example.com', 'true', { issuer })), issuer)
  }
})

t.test('matches patterns of catastrophic backtracking in linear time', async (t) => {
  const patterns = readFixture<string[]>('logins/backtracking.json')
  const addresses = ['a'.repeat(254), `${'ab'.repeat(126)}!`, 'a '.repeat(126), 'x'.repeat(250)]
  let slowest = 0
  for (const pattern of patterns) {
    const isAllowed = oidcPolicy({ ...settingsWith(''), emailMatches: [pattern] })
    for (const address of addresses) {
      // Once for the code to be there.
      isAllowed(login(address, 'true'))
      const before = process.cpuUsage()
      t.notOk(isAllowed(login(address, 'true')))
      const { user, system } = process.cpuUsage(before)
      slowest = Math.max(slowest, (user + system) / 1000)
    }
  }
  t.comment(`${patterns.length} patterns, ${addresses.length} addresses, ${slowest} ms at most`)
  t.ok(patterns.length >= 30)
  // Processor time, twenty times what it takes; others would take years.
  t.ok(slowest < 100, `${slowest} ms`)
})

t.test('warns of a dot that stands for any character', async (t) => {
  const warningsOf = (patterns: string) => {
    const { log, lines } = openLog()
    warnOfPatterns(settingsWith(patterns), log)
    return lines.length
  }
  t.equal(warningsOf('.*@example.com'), 1)
  t.equal(warningsOf('.*@example\\.com'), 0)
  t.equal(warningsOf('.*@.*'), 0)
  t.equal(warningsOf('.*@(a|b)\\.example.com .*@example[.]com'), 1)
})
