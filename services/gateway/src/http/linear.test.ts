import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { isAddressRange, isJwtShaped, networkOf } from '@svc/access'
import { resolveNamespaceKey, toProtoTimestamp } from '@svc/contract'
import { findSuperlinear } from '@svc/runtime/testing'
import t from 'tap'
import { readNamespace } from '../answers/ofrep/request.ts'
import { formFor } from '../answers/snapshot/form.ts'
import { readCookies, readSessionCookie } from '../identity/cookies.ts'
import { readCredential } from '../identity/credential.ts'
import { parseTicket } from '../identity/ticket.ts'
import { readMinRevisions } from '../replica/min-revision.ts'
import { prefersHtml } from './accept.ts'
import { clientAddressBehind } from './client-address.ts'
import { namesEtag } from './if-none-match.ts'
import { parseJsonObject } from './json.ts'
import { cutExcess } from './request-checks.ts'

const credentialIn = (text: string) =>
  readCredential({ rawHeaders: ['authorization', text], socket: new Socket() }, true)

/** As it is read: what is cut off before is not. */
function addressIn(text: string): string {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '10.0.0.1' })
  const raw = new IncomingMessage(socket)
  raw.headers['x-forwarded-for'] = text
  cutExcess(raw)
  return addressOf(raw)
}

const addressOf = clientAddressBehind(['10.0.0.0/8'])

/** What reads a request before it is known who sent it; all of them may refuse what they get. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  cookies: (text) => readCookies(['cookie', text]),
  'the cookie of a session': (text) => readSessionCookie(['cookie', `svc_client_token=${text}`]),
  'a credential': (text) => credentialIn(text),
  'a bearer token': (text) => credentialIn(`Bearer ${text}`),
  'the shape of a JWT': isJwtShaped,
  'a ticket': parseTicket,
  'the address of a client': addressIn,
  'the address of a client behind a port': (text) => addressIn(`[${text}]:80`),
  'a network': (text) => networkOf(`fe80::1%${text}`),
  'a range of addresses': isAddressRange,
  Accept: prefersHtml,
  'If-None-Match': (text) => namesEtag(text, 'tag'),
  'X-Svc-Min-Revision': (text) => readMinRevisions({ 'x-svc-min-revision': text }),
  'X-Svc-Namespace': (text) => readNamespace({ 'x-svc-namespace': text }),
  'X-Svc-Accept-Server-Version': (text) => formFor({ 'x-svc-accept-server-version': `1.${text}` }),
  'the key of a namespace': (text) => resolveNamespaceKey(text, 'key'),
  'a point in time': (text) => toProtoTimestamp(`2026-01-01T00:00:00.${text}`),
  JSON: (text) => parseJsonObject(Buffer.from(text)),
  'a text in JSON': (text) => parseJsonObject(Buffer.from(`{"a":"${text}"}`)),
  'a list in JSON': (text) => parseJsonObject(Buffer.from(`{"a":[${text}0]}`)),
  'an object in JSON': (text) => parseJsonObject(Buffer.from(`{${text}"a":1}`)),
}

/** What texts are made of that parsers are known to take long for. */
const pieces =
  'a| |\t| a|,|, |a,|;|a; |a=b;|=|"|",|\\|\\"|:|::|a:|.|1.|0|1,|-|/|*|[|[],|{|{},|{"a":|"a":1,|%|%25|\xff|~'

for (const [name, read] of Object.entries(readers)) {
  t.test(`what it takes to read ${name} grows as its length does`, async (t) => {
    t.strictSame(findSuperlinear(read, pieces.split('|'), 1000), [])
  })
}
