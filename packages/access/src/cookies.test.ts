import t from 'tap'
import { clearSessionCookie, formatCookie, formatSessionCookie } from './cookies.ts'

const attributes = (cookie: string) => cookie.split('; ').slice(1)

t.test(
  'gives the token to this host alone, over https, and not to scripts or other sites',
  async (t) => {
    t.equal(
      formatSessionCookie({ insecure: false }, 'svc_x', 86_400_000),
      'svc_client_token=svc_x; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=86400',
    )
  },
)

t.test('names a domain, and leaves https out, only when told so', async (t) => {
  t.equal(
    formatSessionCookie({ domain: 'example.com', insecure: true }, 'svc_x', 1999),
    'svc_client_token=svc_x; Path=/; Domain=example.com; HttpOnly; SameSite=Strict; Max-Age=1',
  )
})

t.test('is removed with the attributes it was set with', async (t) => {
  for (const domain of [undefined, 'example.com']) {
    for (const insecure of [true, false]) {
      const set = attributes(formatSessionCookie({ domain, insecure }, 'svc_x', 1000))
      const cleared = clearSessionCookie({ domain, insecure })
      t.match(cleared, /^svc_client_token=;/)
      t.strictSame(attributes(cleared), [...set.slice(0, -1), 'Max-Age=0'])
    }
  }
})

t.test(
  'lets a cookie come back with a link from another site only where that is wanted',
  async (t) => {
    const cookie = { name: 'a', value: 'b', insecure: false, maxAgeMs: 0 }
    t.match(formatCookie({ ...cookie, sameSite: 'Lax' }), /SameSite=Lax/)
  },
)
