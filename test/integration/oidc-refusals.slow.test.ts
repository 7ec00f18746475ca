import t, { type Test } from 'tap'
import { type Browser, openBrowser } from '../support/browser.ts'
import { unauthenticated } from '../support/errors.ts'
import type { Answer } from '../support/http.ts'
import { type Behaviour, startMockProvider } from '../support/mock-provider.ts'
import { beginLogin, endLogin, oidcEnv } from '../support/oidc-login.ts'
import { startStack } from '../support/stack.ts'
import { idTokens, keys, metadata, tokenAnswers, troubles } from './oidc-refusals.cases.ts'

const publicUrl = 'https://flags.example.com'

let refused = 0

/** A login that has come to nothing: no session, nowhere to go, and not a word of what was said. */
function isRefused(t: Test, answer: Answer, statuses: readonly number[], name: string): void {
  const cookies = answer.headers
    .getSetCookie()
    .filter((text) => /^svc_client_token=[^;]/.test(text))
  const isQuiet = !/evil|mallory|169\.254|code-\d|<html>/.test(answer.text)
  const isUniform = answer.status !== 401 || JSON.stringify(answer.body) === uniform
  const isGood = statuses.includes(answer.status) && cookies.length === 0 && isQuiet && isUniform
  if (isGood && answer.headers.get('location') === null) refused += 1
  else t.fail(`${name}: ${answer.status} ${answer.text} ${cookies}`)
}

const uniform = JSON.stringify(unauthenticated)

t.test('logins that are refused', async (t) => {
  const mock = await startMockProvider(t)
  const others = Object.entries({ ...metadata, ...keys })
  const names = ['good', 'second', ...others.map((_, index) => `other-${index}`)]
  for (const [index, [, behaviour]] of others.entries()) {
    mock.setBehaviour(`other-${index}`, behaviour)
  }
  const env = oidcEnv(
    publicUrl,
    Object.fromEntries(names.map((name) => [name, { issuer: mock.issuer(name) }])),
  )
  // Each of them takes so many logins a second, and no more.
  const { urls } = await startStack(t, { gateways: 4, env })
  const open = () => openBrowser(...urls)

  /** A login in which the provider behaves like that, and what comes back is changed so. */
  const attempt = async (
    behaviour: Behaviour = {},
    change: (back: URL, browser: Browser) => URL | undefined = (back) => back,
    provider = 'good',
  ): Promise<Answer> => {
    const browser = open()
    const back = mock.answer(await beginLogin(browser, provider), behaviour)
    return endLogin(browser, change(back, browser) ?? back)
  }
  const redeemed = () => mock.count('good/token') + mock.count('second/token')

  const first = await attempt()
  t.equal(first.status, 302, `one that is good is not: ${first.text}`)

  await t.test('because of the ID token', async (t) => {
    for (const provider of ['good', 'second']) {
      for (const [name, behaviour] of Object.entries(idTokens)) {
        isRefused(t, await attempt(behaviour, undefined, provider), [401], `${provider}: ${name}`)
      }
    }
    t.pass(`${Object.keys(idTokens).length} ways at each of two providers`)
  })

  await t.test('because of what the token endpoint answers', async (t) => {
    for (const [name, behaviour] of Object.entries(tokenAnswers)) {
      isRefused(t, await attempt(behaviour), [401], name)
    }
    for (const [name, behaviour] of Object.entries(troubles)) {
      isRefused(t, await attempt(behaviour), [503], name)
    }
    t.pass()
  })

  await t.test('because of the state, before the provider is asked for anything', async (t) => {
    const before = redeemed()
    const set = (name: string, value: string) => (back: URL) => {
      back.searchParams.set(name, value)
      return back
    }
    const states: Record<string, (back: URL, browser: Browser) => URL | undefined> = {
      'no state': (back) => {
        back.searchParams.delete('state')
        return back
      },
      'an empty state': set('state', ''),
      'an unknown state': set('state', 'a'.repeat(43)),
      'a state of this world': set('state', '__proto__'),
      'a very long state': set('state', 'a'.repeat(2000)),
      'a state with a character more': (back) =>
        set('state', `${back.searchParams.get('state')}a`)(back),
      'a state in small letters': (back) =>
        set('state', String(back.searchParams.get('state')).toLowerCase())(back),
      'two states': (back) => {
        back.searchParams.append('state', 'b')
        return back
      },
      'the same state twice': (back) => {
        back.searchParams.append('state', String(back.searchParams.get('state')))
        return back
      },
      'another browser': (_back, browser) => void browser.cookies.clear(),
      'a cookie that was changed': (_back, browser) => {
        for (const [name, value] of browser.cookies) browser.cookies.set(name, `${value}A`)
        return undefined
      },
      'a cookie that is empty': (_back, browser) => {
        for (const name of browser.cookies.keys()) browser.cookies.set(name, '')
        return undefined
      },
      'a cookie without __Host-': (_back, browser) => {
        for (const [name, value] of [...browser.cookies]) {
          browser.cookies.delete(name)
          browser.cookies.set(name.replace('__Host-', ''), value)
        }
        return undefined
      },
      'another provider': (back) => {
        back.pathname = back.pathname.replace('good', 'second')
        return back
      },
      'no code': (back) => {
        back.searchParams.delete('code')
        return back
      },
      'an empty code': set('code', ''),
      'two codes': (back) => {
        back.searchParams.append('code', 'b')
        return back
      },
      'a refusal': (back) => {
        back.search = `?error=access_denied&state=${back.searchParams.get('state')}`
        return back
      },
      'a refusal with a code': set('error', '<script>evil</script>'),
      'the issuer of another provider': (back) => set('iss', mock.issuer('second'))(back),
      'an issuer with a slash more': (back) => set('iss', `${mock.issuer('good')}/`)(back),
      'an issuer in capitals': (back) => set('iss', mock.issuer('good').toUpperCase())(back),
      'an empty issuer': set('iss', ''),
      'no issuer, where it is promised': (back) => {
        back.searchParams.delete('iss')
        return back
      },
      'two issuers': (back) => {
        back.searchParams.append('iss', mock.issuer('good'))
        return back
      },
    }
    for (const [name, change] of Object.entries(states)) {
      isRefused(t, await attempt({}, change), [401], name)
    }
    t.equal(redeemed(), before, 'no code was redeemed')
  })

  await t.test('because the login is over already', async (t) => {
    const browser = open()
    const back = mock.answer(await beginLogin(browser, 'good'))
    const again = open()
    for (const [name, value] of browser.cookies) again.cookies.set(name, value)
    t.equal((await endLogin(browser, back)).status, 302)
    const before = redeemed()
    isRefused(t, await endLogin(browser, back), [401], 'again')
    isRefused(t, await endLogin(again, back), [401], 'again with the cookie')
    t.equal(redeemed(), before)
  })

  await t.test('because the code or the cookie is of another login', async (t) => {
    const [one, two] = [open(), open()]
    const first = mock.answer(await beginLogin(one, 'good'))
    const second = mock.answer(await beginLogin(two, 'good'))
    const [code, state] = [first.searchParams.get('code'), second.searchParams.get('state')]
    const before = redeemed()
    isRefused(t, await endLogin(one, second), [401], 'the end of the login of another browser')
    t.equal(redeemed(), before)
    second.searchParams.set('code', String(code))
    second.searchParams.set('state', String(state))
    isRefused(t, await endLogin(two, second), [401], 'the code of another browser')
  })

  await t.test('because of what an issuer publishes', async (t) => {
    for (const [index, [name]] of others.entries()) {
      const path = `/auth/v1/method/oidc/other-${index}/authorize`
      if (name in metadata) isRefused(t, await open().send('GET', path), [503], name)
      else isRefused(t, await attempt({}, undefined, `other-${index}`), [401, 503], name)
    }
    t.pass()
  })

  await t.test('because the provider is unknown', async (t) => {
    for (const name of [
      'unknown',
      '__proto__',
      'constructor',
      'GOOD',
      '%3Cscript%3E',
      'good%20',
      '..%2fgood',
    ]) {
      for (const end of ['authorize', 'callback?code=a&state=b']) {
        const answer = await open().send('GET', `/auth/v1/method/oidc/${name}/${end}`)
        isRefused(t, answer, [404], `${name} ${end}`)
        t.notMatch(answer.text, decodeURIComponent(name))
      }
    }
  })

  const last = await attempt()
  t.equal(last.status, 302, `a good one is still let in: ${last.text}`)
  t.comment(`${refused} logins refused, none accepted`)
  t.ok(refused >= 220, `${refused} of them`)
})
