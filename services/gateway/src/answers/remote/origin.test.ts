import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { originOf } from './origin.ts'

const originWith = (comment?: string) => {
  const raw = { headers: { 'x-svc-comment': comment } } as unknown as IncomingMessage
  const request = { raw, id: 'r-1', params: {}, query: {}, route: '', body: undefined }
  return originOf({ address: '10.0.0.7', request } as unknown as Parameters<typeof originOf>[0])
}

t.test('the origin of a change', async (t) => {
  const origin = { 'svc-request-id': 'r-1', 'svc-client-address': '10.0.0.7' }

  await t.test('is the id and the address of its request', async (t) => {
    t.strictSame(originWith(), origin)
  })

  const comments = {
    'incident 311': 'incident 311',
    'f%C3%BCr%20heute%0Aaus': 'für heute\naus',
    '%F0%9F%9A%80': '🚀',
    '': '',
    '1+1': '1+1',
    [encodeURIComponent('ü'.repeat(2048))]: 'ü'.repeat(2048),
  }
  await t.test('has the comment that was sent percent-encoded', async (t) => {
    for (const [header, comment] of Object.entries(comments)) {
      t.strictSame(originWith(header), { ...origin, 'svc-comment-bin': comment })
    }
  })

  const refused = ['100%', '%zz', '%C3', '%ff', 'f\u00fcr', 'x'.repeat(4097), '%C3%BC'.repeat(2049)]
  await t.test('is refused with a comment that is none, or too long', async (t) => {
    for (const header of refused) {
      t.throws(() => originWith(header), { code: 'invalid_argument', message: /X-Svc-Comment/ })
    }
  })
})
