import t from 'tap'
import { openBrowser } from '../support/browser.ts'
import {
  type Behaviour,
  otherJwk,
  signatures,
  startMockProvider,
} from '../support/mock-provider.ts'
import { beginLogin, endLogin, oidcEnv } from '../support/oidc-login.ts'
import { startStack } from '../support/stack.ts'
import {
  type Act,
  callbacks,
  comeBack,
  type DescribedAnswer,
  fill,
  mixedUp,
  Refusals,
  readCases,
  type Site,
  toFault,
  used,
} from './login-refusals.fixture.ts'

const publicUrl = 'https://flags.example.com'

/** What is sent in place of something usual: a whole answer, or other members of it. */
type Change = 'floods' | 'breaksOff' | DescribedAnswer | Readonly<Record<string, unknown>>

/** A case of `oidc.cases.yml`. */
interface Case extends Readonly<Partial<Record<Part, Change>>> {
  readonly signature?: keyof typeof signatures
  /** A pattern, and what is put in its place. */
  readonly idToken?: readonly [string, string]
}

type Part = 'metadata' | 'keys' | 'claims' | 'header' | 'token' | 'userinfo'
type Group = 'idTokens' | 'tokenAnswers' | 'failures' | 'metadata' | 'keys'

const cases = readCases<Readonly<Record<Group, Readonly<Record<string, Case>>>>>('oidc')

function toBehaviour({ signature, idToken, ...parts }: Case): Behaviour {
  const changes = Object.entries(parts).map(([part, change]) => [part, toChange(change)])
  return {
    ...Object.fromEntries(changes),
    ...(signature && { signature: signatures[signature] }),
    ...(idToken && { idToken: (token) => token.replace(new RegExp(idToken[0]), idToken[1]) }),
  }
}

function toChange(change: Change) {
  return (usual: Readonly<Record<string, unknown>>): unknown => {
    if (typeof change === 'string' || 'status' in change) return toFault(change)
    const { body } = change
    if (body !== undefined) return typeof body === 'string' ? body : JSON.stringify(body)
    const { with: more, ...members } = change as Readonly<Record<string, unknown>>
    const changed = { ...usual, ...(resolve(members, usual) as object) }
    if (more === undefined) return changed
    const { keys } = changed as { keys: readonly object[] }
    return { keys: keys.map((key) => ({ ...key, ...(more as object) })) }
  }
}

/** The value that stands for a member. */
function resolve(value: unknown, usual: Readonly<Record<string, unknown>>): unknown {
  const [rsa, ec] = (usual.keys ?? []) as readonly unknown[]
  const named: Readonly<Record<string, unknown>> = {
    '~gone': undefined,
    '~huge': 'a'.repeat(600_000),
    '~otherJwk': otherJwk,
    '~rsa': rsa,
    '~ec': ec,
  }
  if (typeof value === 'string') return value in named ? named[value] : fill(value, usual)
  if (Array.isArray(value)) return value.map((one) => resolve(one, usual))
  if (typeof value !== 'object' || value === null) return value
  if ('now' in value) return Math.floor(Date.now() / 1000) + Number(value.now)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolve(one, usual)]))
}

t.test('logins that are refused', async (t) => {
  const mock = await startMockProvider(t)
  const others = Object.entries({ ...cases.metadata, ...cases.keys })
  const names = ['good', 'second', ...others.map((_, index) => `other-${index}`)]
  for (const [index, [, one]] of others.entries()) {
    mock.setBehaviour(`other-${index}`, toBehaviour(one))
  }
  const providers = names.map((name) => [name, { issuer: mock.issuer(name) }])
  // Each of them takes so many logins a second, and no more.
  const { urls } = await startStack(t, {
    gateways: 4,
    env: oidcEnv(publicUrl, Object.fromEntries(providers)),
  })
  const site: Site = {
    urls,
    begin: async (browser) => mock.answer(await beginLogin(browser, 'good')),
    redeemed: () => mock.count('good/token') + mock.count('second/token'),
  }
  const refusals = new Refusals(site)
  const logIn =
    (behaviour?: Behaviour, provider = 'good') =>
    async (browser = openBrowser(...urls)) =>
      endLogin(browser, mock.answer(await beginLogin(browser, provider), behaviour))
  const played = (group: Group, provider?: string) =>
    Object.fromEntries(
      Object.entries(cases[group]).map(([name, one]) => [name, logIn(toBehaviour(one), provider)]),
    )

  const first = await logIn()()
  t.equal(first.status, 302, `one that is good is not: ${first.text}`)

  await t.test('because of the ID token', async (t) => {
    await refusals.expect(t, [401], played('idTokens'))
    await refusals.expect(t, [401], played('idTokens', 'second'))
  })

  await t.test('because of what the token endpoint answers', async (t) => {
    await refusals.expect(t, [401], played('tokenAnswers'))
    await refusals.expect(t, [503], played('failures'))
  })

  await t.test('because of the state, before the provider is asked for anything', async (t) => {
    const changed =
      (change: (back: URL) => void): Act =>
      async (browser) => {
        const back = await site.begin(browser)
        change(back)
        return comeBack(browser, back)
      }
    const own = {
      'another provider': changed((back) => {
        back.pathname = back.pathname.replace('good', 'second')
      }),
      'the issuer of another provider': changed((back) =>
        back.searchParams.set('iss', mock.issuer('second')),
      ),
      'an empty issuer': changed((back) => back.searchParams.set('iss', '')),
      'no issuer, where it is promised': changed((back) => back.searchParams.delete('iss')),
    }
    const none = { mayRedeem: false }
    await refusals.expect(t, [401], { ...callbacks, ...own }, none)
    await refusals.expect(t, [401, 405], mixedUp, none)
  })

  await t.test('because the login is over, or its code is of another', (t) =>
    refusals.expect(t, [401], used),
  )

  await t.test('because of what an issuer publishes', async (t) => {
    for (const [index, [name]] of others.entries()) {
      const path = `/auth/v1/method/oidc/other-${index}/authorize`
      const isBroken = name in cases.metadata
      const act: Act = isBroken
        ? (browser) => browser.send('GET', path)
        : logIn(undefined, `other-${index}`)
      await refusals.expect(t, isBroken ? [503] : [401, 503], { [name]: act })
    }
  })

  await t.test('because the provider is unknown', async (t) => {
    const unknown = ['unknown', '__proto__', 'constructor', 'GOOD', '%3Cscript%3E', 'good%20']
    for (const name of [...unknown, '..%2fgood']) {
      for (const end of ['authorize', 'callback?code=a&state=b']) {
        const path = `/auth/v1/method/oidc/${name}/${end}`
        const act: Act = async (browser) => {
          const answer = await browser.send('GET', path)
          t.notMatch(answer.text, decodeURIComponent(name))
          return answer
        }
        await refusals.expect(t, [404], { [path]: act })
      }
    }
  })

  const last = await logIn()()
  t.equal(last.status, 302, `a good one is still let in: ${last.text}`)
  t.comment(`${refusals.count} logins refused, none accepted`)
  t.ok(refusals.count >= 220, `${refusals.count} of them`)
})
