import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { AppError } from '@svc/runtime'
import t from 'tap'
import { refuseCrossSite } from './cross-site.ts'

const own = 'https://flags.example.com'
const trusted = ['https://admin.example.com']
const json = 'application/json'

/** Whether a request is let through. */
function isAllowed(
  method: string,
  headers: Readonly<Record<string, string>>,
  origins = { own, trusted } as { own: string | undefined; trusted: readonly string[] },
): boolean {
  const request = new IncomingMessage(new Socket())
  request.method = method
  request.rawHeaders = Object.entries(headers).flat()
  request.headers = { ...headers }
  try {
    refuseCrossSite(request, origins)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'permission_denied') return false
    throw error
  }
}

const safe = ['GET', 'HEAD', 'OPTIONS']
const unsafe = ['POST', 'PUT', 'DELETE']

/** What a browser says of a page, and whether that page may change things. */
const pages: readonly (readonly [boolean, string, Readonly<Record<string, string>>])[] = [
  [true, 'of ours', { 'sec-fetch-site': 'same-origin', origin: own }],
  [true, 'a typed URL', { 'sec-fetch-site': 'none' }],
  [false, 'of the same site', { 'sec-fetch-site': 'same-site', origin: 'https://x.example.com' }],
  [false, 'of elsewhere', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
  [false, 'of nowhere', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  [false, 'contradicts itself', { 'sec-fetch-site': 'cross-site', origin: own }],
  [false, 'says nothing known', { 'sec-fetch-site': 'same-origin, none' }],
  [false, 'says nothing', { 'sec-fetch-site': '' }],
  [true, 'trusted', { 'sec-fetch-site': 'same-site', origin: trusted[0] ?? '' }],
  [true, 'of ours, old browser', { origin: own }],
  [true, 'trusted, old browser', { origin: trusted[0] ?? '' }],
  [false, 'of elsewhere, old browser', { origin: 'https://evil.test' }],
  [false, 'of another port, old browser', { origin: `${own}:8443` }],
  [false, 'without TLS, old browser', { origin: 'http://flags.example.com' }],
  [false, 'of a longer name, old browser', { origin: `${own}.evil.test` }],
  [false, 'of nowhere, old browser', { origin: 'null' }],
  [false, 'of this host, as the request has it', { origin: 'http://here', host: 'here' }],
  [true, 'no browser', {}],
]

for (const [expected, name, headers] of pages) {
  t.test(`a page (${name}) may ${expected ? '' : 'not '}change things`, async (t) => {
    for (const method of unsafe) {
      t.equal(isAllowed(method, { ...headers, 'content-type': json }), expected, method)
    }
    for (const method of safe) t.ok(isAllowed(method, headers), `but may ${method}`)
  })
}

t.test('what is sent has to be JSON, for which other sites need leave', async (t) => {
  const ours = { 'sec-fetch-site': 'same-origin', 'content-length': '2' }
  for (const type of [json, 'application/json; charset=utf-8', 'APPLICATION/JSON ;x=y']) {
    t.ok(isAllowed('POST', { ...ours, 'content-type': type }), type)
  }
  const others = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    'application/jsonx',
    'application/json, text/plain',
    '',
  ]
  for (const type of others) {
    t.notOk(isAllowed('POST', { ...ours, 'content-type': type }), type)
    t.notOk(isAllowed('POST', { 'content-type': type }), `${type}, from no browser`)
  }
  t.notOk(isAllowed('POST', ours), 'no type')
  t.notOk(isAllowed('DELETE', {}), 'no type, from no browser')
  t.notOk(isAllowed('PUT', { 'sec-fetch-site': 'none', 'transfer-encoding': 'chunked' }), 'chunked')
  t.ok(isAllowed('DELETE', { 'sec-fetch-site': 'same-origin' }), 'nothing is sent')
  t.ok(isAllowed('POST', { 'sec-fetch-site': 'same-origin', 'content-length': '0' }), 'nor here')
})

t.test('where the public URL is not set, only a browser decides', async (t) => {
  const unknown = { own: undefined, trusted: [] }
  const type = { 'content-type': json }
  t.ok(isAllowed('POST', { ...type, 'sec-fetch-site': 'same-origin', origin: own }, unknown))
  t.notOk(isAllowed('POST', { ...type, origin: own }, unknown))
  t.notOk(isAllowed('POST', { ...type, origin: 'undefined' }, unknown))
})
