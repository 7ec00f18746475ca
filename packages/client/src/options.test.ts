import t from 'tap'
import { readCredential, readOptions } from './options.ts'
import type { ConnectOptions, Credential } from './types.ts'

const url = 'https://flags.example.com'

t.test('options that make no sense are refused, and it says which', async (t) => {
  const table: [options: unknown, message: RegExp][] = [
    [undefined, /takes an object with `url`/],
    [{}, /`url` must be/],
    [{ url: 'flags.example.com' }, /`url` must be/],
    [{ url: 'ftp://flags.example.com' }, /`url` must be/],
    [{ url: 'https://user:secret@flags.example.com' }, /must have no credential/],
    [{ url: `${url}/?a=b` }, /no query/],
    [{ url, namespace: 'a/b' }, /`namespace` is not the key/],
    [{ url, namespace: '' }, /`namespace` is not the key/],
    [{ url, namespace: 7 }, /`namespace` is not the key/],
    [{ url, readyTimeoutMs: 0 }, /`readyTimeoutMs`/],
    [{ url, readyTimeoutMs: '5s' }, /`readyTimeoutMs`/],
    [{ url, lastKnownGood: '' }, /`lastKnownGood` must be the path of a file/],
    [{ url, lastKnownGood: true }, /`lastKnownGood` must be the path of a file/],
    [{ url, token: 'x' }, /no option `token` in local mode/],
    [{ url, persist: true }, /no option `persist` in local mode/],
  ]
  for (const [options, message] of table) {
    const error = { name: 'SvcError', code: 3, message }
    t.throws(() => readOptions(options as ConnectOptions, 'local'), error, String(message))
  }
  const remote = { url, mode: 'remote', lastKnownGood: 'x' } as unknown as ConnectOptions
  t.throws(() => readOptions(remote, 'remote'), /no option `lastKnownGood` in remote mode/)
})

t.test('a url may have a path, and ends where the service begins', async (t) => {
  const read = (url: string) => readOptions({ url }, 'local').url
  t.equal(read('https://flags.example.com'), 'https://flags.example.com')
  t.equal(read('https://flags.example.com/'), 'https://flags.example.com')
  t.equal(read('http://127.0.0.1:8080/flags/'), 'http://127.0.0.1:8080/flags')
})

t.test('a credential is one of those there are', async (t) => {
  t.strictSame(readCredential(undefined), {})
  t.strictSame(readCredential({ token: 'x' }), { token: 'x' })
  const bad: unknown[] = [
    {},
    { token: undefined },
    { token: 'x', tokenFile: 'y' },
    { password: 'x' },
    { token: 7 },
    { serviceAccount: true },
  ]
  for (const credential of bad) {
    t.throws(
      () => readCredential(credential as Credential),
      { name: 'SvcError', code: 3, message: /^`credential/ },
      JSON.stringify(credential),
    )
  }
})

t.test(
  'a token of an environment variable that is not set is refused in these words',
  async (t) => {
    // As documents print it: TypeScript takes it.
    t.throws(() => readCredential({ token: process.env.SVC_TEST_NOT_SET }), /environment variable/)
  },
)
