import t from 'tap'
import { clearSessionCookie, formatCookie, formatSessionCookie } from './cookies.ts'

const attributes = (cookie: string) => cookie.split('; ').slice(1)

t.test(
  'a session cookie is for this host, over https, and not for scripts or other sites',
  async (t) => {
    t.equal(
      formatSessionCookie({ insecure: false }, 'svc_x', 86_400_000),
      'svc_client_token=svc_x; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=86400',
    )
  },
)

t.test('it names a domain, or allows http, only by setting', async (t) => {
  t.equal(
    formatSessionCookie({ domain: 'example.com', insecure: true }, 'svc_x', 1999),
    'svc_client_token=svc_x; Path=/; Domain=example.com; HttpOnly; SameSite=Strict; Max-Age=1',
  )
})

t.test('it is cleared with the attributes that it was set with', async (t) => {
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
  'SameSite=Lax is set where asked for, and lets a cookie come with a link from another site',
  async (t) => {
    const cookie = { name: 'a', value: 'b', insecure: false, maxAgeMs: 0 }
    t.match(formatCookie({ ...cookie, sameSite: 'Lax' }), /SameSite=Lax/)
  },
)
