import { openBrowser } from '../support/browser.ts'
import { authorizePath, callbackPath, goThere } from '../support/codehost-login.ts'
import { type Cases, comingBack, flowOf, other, withCookies } from './codehost-refusals.ts'

const changingState = (change: (state: string) => string) =>
  comingBack((query) => query.set('state', change(query.get('state') ?? '')))

const renamingState = (name: string) =>
  comingBack((query) => {
    query.set(name, query.get('state') ?? '')
    query.delete('state')
  })

/** The state is not that of a login which this browser began. */
export const stateCases: Cases = {
  'without a state': comingBack((query) => query.delete('state')),
  'with an empty one': changingState(() => ''),
  'with a made up one': changingState(() => 'a'.repeat(43)),
  'with a short one': changingState(() => 'x'),
  'with a word that means something elsewhere': changingState(() => 'undefined'),
  'with one that is cut': changingState((state) => state.slice(0, -1)),
  'with one that goes on': changingState((state) => `${state}A`),
  'with another first character': changingState((state) => other(state, 0)),
  'with another last character': changingState((state) => other(state, 42)),
  'with one in capitals': changingState((state) => state.toUpperCase()),
  'with one that is padded': changingState((state) => `${state}=`),
  'with a space behind it': changingState((state) => `${state} `),
  'with a line break behind it': changingState((state) => `${state}\n`),
  'with a backslash before it': changingState((state) => `\\${state}`),
  'with one that is encoded twice': changingState((state) => encodeURIComponent(`%${state}`)),
  'with a very long one': changingState((state) => state + 'a'.repeat(2000)),
  'with one under another name': renamingState('State'),
  'with one in a list': renamingState('state[]'),
  'with one in an object': renamingState('state.value'),
  'without any query': async ({ browser }) => {
    await goThere(browser)
    return browser.send('GET', callbackPath)
  },
  'with the state of another browser': async ({ browser, urls }) => {
    const way = await goThere(openBrowser(...urls))
    await goThere(browser)
    return browser.send('GET', way)
  },
  'with what is in the cookie': async ({ browser }) => {
    const url = new URL(await goThere(browser), 'http://gateway')
    url.searchParams.set('state', flowOf(browser)[1])
    return browser.send('GET', url.pathname + url.search)
  },
}

/** The interface does not know what is meant. */
export const doubledCases: Cases = {
  'with the same state twice': comingBack((query) =>
    query.append('state', query.get('state') ?? ''),
  ),
  'with another state behind it': comingBack((query) => query.append('state', 'a'.repeat(43))),
  'with another state before it': comingBack((query) => {
    const state = query.get('state') ?? ''
    query.set('state', 'a'.repeat(43))
    query.append('state', state)
  }),
  'with two codes': comingBack((query) => query.append('code', 'another')),
  'with two issuers': comingBack((query) => query.append('iss', query.get('iss') ?? '')),
}

/** The cookie is not the one that the login began with. */
export const cookieCases: Cases = {
  'without the cookie': withCookies((browser) => browser.cookies.clear()),
  'with an empty one': withCookies((browser, name) => browser.cookies.set(name, '')),
  'with a made up one': withCookies((browser, name) => browser.cookies.set(name, 'a.b.c')),
  'with one that is cut': withCookies((browser, name, value) =>
    browser.cookies.set(name, value.slice(0, -1)),
  ),
  'with one that goes on': withCookies((browser, name, value) =>
    browser.cookies.set(name, `${value}A`),
  ),
  'with one in quotes': withCookies((browser, name, value) =>
    browser.cookies.set(name, `"${value}"`),
  ),
  'with one that claims a later time': withCookies((browser, name, value) =>
    browser.cookies.set(name, value.replace(/^[^.]*/, 'zzzzzzzz')),
  ),
  ...Object.fromEntries(
    [0.1, 0.3, 0.5, 0.7, 0.9].map((part) => [
      `with another character ${part * 100} % into it`,
      withCookies((browser, name, value) =>
        browser.cookies.set(name, other(value, Math.floor(value.length * part))),
      ),
    ]),
  ),
  'with one under another name': withCookies((browser, name, value) => {
    browser.cookies.clear()
    browser.cookies.set(other(name, name.length - 1), value)
  }),
  'with one under a name that others can set': withCookies((browser, name, value) => {
    browser.cookies.clear()
    browser.cookies.set(name.replace('__Host-', ''), value)
  }),
  'with two of them': withCookies((browser, name, value) =>
    browser.cookies.set(name, `${value}; ${name}=${value}`),
  ),
  'with another one before it': withCookies((browser, name, value) =>
    browser.cookies.set(name, `tossed; ${name}=${value}`),
  ),
  'with the cookie of another login under this name': async ({ browser, urls }) => {
    const before = openBrowser(...urls)
    await goThere(before)
    const way = await goThere(browser)
    const [name] = flowOf(browser)
    browser.cookies.set(name, flowOf(before)[1])
    return browser.send('GET', way)
  },
  'with the cookies of another browser': async ({ browser, urls }) => {
    const before = openBrowser(...urls)
    await goThere(before)
    const way = await goThere(browser)
    browser.cookies.clear()
    browser.cookies.set(...flowOf(before))
    return browser.send('GET', way)
  },
  'when five others were begun since': async ({ browser }) => {
    const way = await goThere(browser)
    for (let i = 0; i < 5; i += 1) await browser.send('GET', authorizePath)
    return browser.send('GET', way)
  },
  'a second time': async ({ browser, urls }) => {
    const way = await goThere(browser)
    const copy = openBrowser(...urls)
    copy.cookies.set(...flowOf(browser))
    await browser.send('GET', way)
    browser.cookies.clear()
    return copy.send('GET', way)
  },
  'a second time, the first of which was refused': async ({ browser }) => {
    const way = await goThere(browser)
    const flow = flowOf(browser)
    await browser.send('GET', `${way}&error=access_denied`)
    browser.cookies.set(...flow)
    return browser.send('GET', way)
  },
}
