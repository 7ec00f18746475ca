import t from 'tap'
import { splitHosts } from './hosts.ts'

const rest = '/db?target_session_attrs=read-write&x=a@b,c'

const cases: readonly (readonly [url: string, hosts: readonly string[]])[] = [
  ['postgres://h/db', ['postgres://h/db']],
  ['postgres://u:p@h:5432/db', ['postgres://u:p@h:5432/db']],
  [`postgres://u:p@a:1,b:2${rest}`, [`postgres://u:p@a:1${rest}`, `postgres://u:p@b:2${rest}`]],
  ['postgres://a,b', ['postgres://a', 'postgres://b']],
  ['postgres://a,b?x=y@z', ['postgres://a?x=y@z', 'postgres://b?x=y@z']],
  ['postgres://u@[::1]:1,[::2]/db', ['postgres://u@[::1]:1/db', 'postgres://u@[::2]/db']],
  ['postgres://u,v:p,q@a,b/db', ['postgres://u,v:p,q@a/db', 'postgres://u,v:p,q@b/db']],
  ['postgres://u@/db?host=/run', ['postgres://u@/db?host=/run']],
  ['postgres://u@a,/db', ['postgres://u@a/db', 'postgres://u@/db']],
]

for (const [url, hosts] of cases) {
  t.test(`${url} has ${hosts.length}`, async (t) => t.strictSame(splitHosts(url), hosts))
}
