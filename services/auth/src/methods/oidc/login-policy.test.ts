import t from 'tap'
import { openLog, settingsFor } from '../../auth.test.support.ts'
import { oidcPolicy, warnOfPatterns } from './login-policy.ts'

const section = 'SVC_AUTHENTICATION_METHODS_OIDC'

function settingsWith(patterns: string, more: Readonly<Record<string, string>> = {}) {
  return settingsFor('postgres://svc@127.0.0.1/svc', {
    SVC_SERVER_PUBLIC_URL: 'https://flags.example.com',
    [`${section}_ENABLED`]: 'true',
    [`${section}_PROVIDERS_ACME_ISSUER_URL`]: 'https://accounts.example.com',
    [`${section}_PROVIDERS_ACME_CLIENT_ID`]: 'flags',
    [`${section}_PROVIDERS_ACME_CLIENT_SECRET`]: 'a-secret',
    ...(patterns === '' ? {} : { [`${section}_EMAIL_MATCHES`]: patterns }),
    ...more,
  }).authentication.methods.oidc
}

/** A login with this e-mail address. */
const login = (email: string | undefined, verified: string | undefined, provider = 'acme') =>
  Object.fromEntries(
    Object.entries({ provider, email, email_verified: verified })
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [`io.svc.auth.oidc.${key}`, String(value)]),
  )

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
  const strangers = [
    ...['ada@example.org', 'ada@example.com.evil.org', 'ada@evil.example.com', 'bob@other.example'],
    ...['ada@EXAMPLE.COM', 'ada@exampleXcom', 'x\nada@example.com', 'ada@example.com\n', ''],
    ...['ada@other.example\n', 'aada@other.example', 'ada@other.example.com', 'example.com'],
  ]
  for (const email of strangers) t.notOk(isAllowed(login(email, 'true')), JSON.stringify(email))
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
  t.notOk(oidcPolicy(known)(login('ada@example.com', 'true', 'gone')))
  t.notOk(oidcPolicy(known)(login('ada@example.com', 'true', '__proto__')))
})

t.test('matches patterns of catastrophic backtracking in linear time', async (t) => {
  const patterns = [
    ...['^([a-zA-Z0-9_.+-]+)*@corp\\.com$', '(a+)+@b', '(a|a)*@b', '(a|aa)+@b', '(.*a){12}@b'],
    ...['([a-z]+)*[A-Z]@b', '(a*)*@b', '((a+)+)+@b', '(x+x+)+y@b', '(.*)*@b', '(\\w+\\s?)*@b'],
    ...['(a?){25}a{25}@b', '^(([a-z])+.)+[A-Z]([a-z])+@b', '(\\d+)*@b', '([^@]+)*@b', '(a+)*$@b'],
    ...['(.+)+@b', '(?:a+){10}@b', '(ab|a|b)+@b', '(a{1,9}){1,9}@b', '[a-z]*[a-z]*[a-z]*@b'],
    ...['(a|b|ab)*c@b', '.*.*.*.*=.*@b', '(\\S+)*@b', '^(a|a?)+@b', '(a.?)+@b', '(aa*)+@b'],
    ...['(?i)(a+)+@b', '(a+?)+?@b', '(?:(?:a)+)+@b'],
  ]
  const addresses = [
    'a'.repeat(254),
    `${'ab'.repeat(126)}!`,
    `${'a '.repeat(126)}`,
    'x'.repeat(250),
  ]
  let slowest = 0
  for (const pattern of patterns) {
    const isAllowed = oidcPolicy({ ...settingsWith(''), emailMatches: [pattern] })
    for (const address of addresses) {
      // Once for the code to be there.
      isAllowed(login(address, 'true'))
      const begin = performance.now()
      t.notOk(isAllowed(login(address, 'true')))
      slowest = Math.max(slowest, performance.now() - begin)
    }
  }
  t.comment(`${patterns.length} patterns, ${addresses.length} addresses, ${slowest} ms at most`)
  t.ok(patterns.length >= 30)
  // Twenty times what it takes, for a machine that is busy; others would take years.
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
