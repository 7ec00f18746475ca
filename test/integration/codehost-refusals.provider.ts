import type { ServerResponse } from 'node:http'
import { openBrowser } from '../support/browser.ts'
import { type Person, sendJson } from '../support/codehost.ts'
import { goThere, logIn } from '../support/codehost-login.ts'
import { breaksOff, drips, floods, hangs, type ServerFault } from '../support/faults.ts'
import {
  type Act,
  acme,
  answering,
  as,
  type Cases,
  comingBack,
  dev,
  withFault,
} from './codehost-refusals.ts'

const tokenPath = '/login/oauth/access_token'
const accountPath = '/api/v3/user'
const organizationsPath = '/api/v3/user/orgs'
const teamsPath = '/api/v3/user/teams'

const page =
  (items: readonly unknown[], link: string): ServerFault =>
  (_request, response: ServerResponse) => {
    response.setHeader('link', link)
    sendJson(response, items)
  }

/** The same server under another name, which is another host to those who are careful. */
const goingOnElsewhere: ServerFault = (request, response) => {
  const { port } = new URL(`http://${request.headers.host}`)
  if (request.url?.includes('page=2')) sendJson(response, [])
  else
    page([acme], `<http://localhost:${port}${organizationsPath}?page=2>; rel="next"`)(
      request,
      response,
    )
}

/** Moved, to where there is what was asked for. */
const movedTo =
  (path: string, answer: unknown): Act =>
  async ({ browser, codehost }) => {
    const there = '/somewhere/else'
    codehost.faults.set(path, answering('', 307, { location: codehost.serverUrl + there }))
    codehost.faults.set(there, answering(answer))
    return logIn(browser)
  }

/** What the browser brings back is no login, so the code host is not asked. */
export const answerCases: Cases = {
  'without a code': comingBack((query) => query.delete('code')),
  'with an empty code': comingBack((query) => query.set('code', '')),
  'when the person declined': comingBack((query) => {
    query.delete('code')
    query.set('error', 'access_denied')
  }),
  'with an error besides the code': comingBack((query) => query.set('error', 'server_error')),
  'with an error that is markup': comingBack((query) => {
    query.set('error', '<script>alert(1)</script>')
    query.set('error_description', '\r\nset-cookie: a=b')
  }),
  'by another issuer': comingBack((query) => query.set('iss', 'https://evil.example')),
  'by an issuer with a slash behind it': comingBack((query, { serverUrl }) =>
    query.set('iss', `${serverUrl}/login/oauth/`),
  ),
  'by an issuer in capitals': comingBack((query, { serverUrl }) =>
    query.set('iss', `${serverUrl}/LOGIN/oauth`),
  ),
  'by the server, which is not the issuer': comingBack((query, { serverUrl }) =>
    query.set('iss', serverUrl),
  ),
}

/** The code host says that it is none of its codes for this login. */
export const codeCases: Cases = {
  'with a code that there is not': comingBack((query) => query.set('code', 'a'.repeat(40))),
  'with the code of another login, whose verifier is another': async ({ browser, urls }) => {
    const stolen = new URL(await goThere(openBrowser(...urls)), 'http://gateway')
    const own = new URL(await goThere(browser), 'http://gateway')
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    return browser.send('GET', own.pathname + own.search)
  },
  'with a code that was used': async ({ browser, urls }) => {
    const first = openBrowser(...urls)
    const used = new URL(await goThere(first), 'http://gateway')
    await first.send('GET', used.pathname + used.search)
    const own = new URL(await goThere(browser), 'http://gateway')
    own.searchParams.set('code', used.searchParams.get('code') ?? '')
    return browser.send('GET', own.pathname + own.search)
  },
  ...Object.fromEntries(
    ['bad_verification_code', 'incorrect_client_credentials', 'invalid_grant'].flatMap((error) => [
      [`when it says ${error}`, withFault(tokenPath, answering({ error }))],
      [`when it says ${error}, with 400`, withFault(tokenPath, answering({ error }, 400))],
    ]),
  ),
  'when it says so with a token': withFault(
    tokenPath,
    answering({ error: 'invalid_grant', access_token: 'a', token_type: 'bearer' }),
  ),
  'when it wants other credentials of ours': withFault(
    tokenPath,
    answering({}, 401, { 'www-authenticate': 'Basic realm="x"' }),
  ),
  'when it does not know its own token': withFault(
    tokenPath,
    answering({ access_token: 'made-up', token_type: 'bearer' }),
  ),
  'when the account is not allowed any more': withFault(accountPath, answering({}, 401)),
}

const token = { access_token: 'a', token_type: 'bearer' }

/** The code host does not work. */
export const brokenCases: Cases = {
  'when the account has moved': movedTo(accountPath, { id: 42, login: 'octo' }),
  'when the organizations have moved': movedTo(organizationsPath, [acme]),
  'when the teams have moved': movedTo(teamsPath, [dev]),
  ...each(tokenPath, 'the token', {
    'has status 500': answering({ error: 'server_error' }, 500),
    'has status 503': answering('', 503),
    'is elsewhere': answering('', 302, { location: 'http://169.254.169.254/token' }),
    'is a page': answering('<html>', 200, { 'content-type': 'text/html' }),
    'is nothing': answering(''),
    'is a list': answering([token]),
    'is missing': answering({ token_type: 'bearer' }),
    'is a number': answering({ ...token, access_token: 1 }),
    'is empty': answering({ ...token, access_token: '' }),
    'has a line break': answering({ ...token, access_token: 'a\r\nx: y' }),
    'has a space': answering({ ...token, access_token: 'a b' }),
    'is endless': answering({ ...token, access_token: 'a'.repeat(5000) }),
    'is of no type': answering({ access_token: 'a' }),
    'is of another type': answering({ ...token, token_type: 'mac' }),
    'wants a proof': answering({ ...token, token_type: 'dpop' }),
    'is a form': answering('access_token=a&token_type=bearer', 200, {
      'content-type': 'application/x-www-form-urlencoded',
    }),
    'is too much': floods,
    'breaks off': breaksOff,
  }),
  ...each(accountPath, 'the account', {
    'has status 403': answering({ message: 'rate limit' }, 403),
    'has status 404': answering({}, 404),
    'has status 429': answering({}, 429),
    'has status 500': answering({}, 500),
    'has status 403, and is one': answering({ id: 42, login: 'octo' }, 403),
    'has status 202, and is one': answering({ id: 42, login: 'octo' }, 202),
    'has status 204': answering('', 204),
    'is elsewhere': answering('', 301, { location: 'http://127.0.0.1:1/user' }),
    'is a page': answering('<html>'),
    'is nothing': answering(''),
    'is a list': answering([{ id: 42, login: 'octo' }]),
    'is null': answering('null'),
    'has no id': answering({ login: 'octo' }),
    'has an id that is text': answering({ id: '42', login: 'octo' }),
    'has the id 0': answering({ id: 0, login: 'octo' }),
    'has a negative id': answering({ id: -42, login: 'octo' }),
    'has half an id': answering({ id: 42.5, login: 'octo' }),
    'has an id that is too large': answering('{"id":9007199254740993,"login":"octo"}'),
    'has no login': answering({ id: 42 }),
    'has a login that is no text': answering({ id: 42, login: ['octo'] }),
    'has a login with a NUL': answering({ id: 42, login: 'oc\0to' }),
    'has half a character': answering('{"id":42,"login":"octo\\ud800"}'),
    'is too much': floods,
    'breaks off': breaksOff,
  }),
  ...each(organizationsPath, 'the list of organizations', {
    'has status 403': answering({}, 403),
    'has status 500': answering({}, 500),
    'has status 500, and is one': answering([acme], 500),
    'is an object': answering({ 0: acme, length: 1 }),
    'has one without id': answering([acme, { login: 'b' }]),
    'has one without login': answering([acme, { id: 5 }]),
    'has null in it': answering([acme, null]),
    'has more than it was asked for': answering(Array.from({ length: 101 }, () => acme)),
    'goes on at another host': goingOnElsewhere,
    'goes on with another scheme': page([acme], '<file:///etc/passwd>; rel="next"'),
    'goes on at no address': page([acme], '<http://[>; rel="next"'),
    'never ends': page([acme], '</api/v3/user/orgs?page=2>; rel="next"'),
    'fails on its second page': (request, response) => {
      const isSecond = request.url?.includes('page=2') ?? false
      if (isSecond) response.writeHead(500).end()
      else page([acme], '</api/v3/user/orgs?page=2>; rel="next"')(request, response)
    },
    'breaks off': breaksOff,
  }),
  ...each(teamsPath, 'the list of teams', {
    'has status 500': answering({}, 500),
    'has status 500, and is one': answering([dev], 500),
    'has one without organization': answering([dev, { id: 2, slug: 'b' }]),
    'has one without name': answering([dev, { id: 2, organization: acme }]),
    'breaks off': breaksOff,
  }),
}

/** The same, but it takes a while to find out. They can be played at once. */
export const slowCases = [
  [tokenPath, hangs],
  [tokenPath, drips],
  [accountPath, hangs],
  [organizationsPath, drips],
] as const

const inOrganization = (organization: Person['organizations'][number]) =>
  as({ organizations: [organization], teams: [] })

/** Members of something else, where acme and the organization with the id 7 are allowed. */
export const strangerCases: Cases = {
  'of nothing': as({ organizations: [], teams: [] }),
  'of nothing but a team of it': as({ organizations: [] }),
  'of one whose name begins like it': inOrganization({ id: 5, login: 'acme-corp' }),
  'of one whose name it begins like': inOrganization({ id: 5, login: 'acm' }),
  'of one whose name looks like it': inOrganization({ id: 5, login: 'аcme' }),
  'of one whose name is it with a space': inOrganization({ id: 5, login: 'acme ' }),
  'of one whose name is the id of another': inOrganization({ id: 5, login: '7' }),
  'of one whose id is in the name only': inOrganization({ id: 5, login: '101' }),
  'of one that was called so': inOrganization({ id: 101, login: 'acme-renamed' }),
  'of two hundred and fifty others': as({
    organizations: Array.from({ length: 250 }, (_, i) => ({ id: 1000 + i, login: `other-${i}` })),
  }),
}

function each(path: string, what: string, faults: Record<string, ServerFault>): Cases {
  return Object.fromEntries(
    Object.entries(faults).map(([name, fault]) => [`when ${what} ${name}`, withFault(path, fault)]),
  )
}
