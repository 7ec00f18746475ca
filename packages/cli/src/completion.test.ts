import t from 'tap'
import { runLine, serve } from './run.test.support.ts'

const keys = ['checkout', 'check-in', 'color']
const flags = keys.map((key) => ({ key }))

t.test('completion', async (t) => {
  const service = await serve(t, ({ path }) => ({
    body: /\/flags\?/.test(path) ? { flags, nextPageToken: '' } : { namespaces: [{ key: 'shop' }] },
  }))
  const after = async (...words: readonly string[]) => {
    const env = { SVC_URL: service.url }
    const { code, stdout, stderr } = await runLine(['__complete', '--', ...words], { env })
    t.equal(code, 0, stderr)
    return stdout.split('\n').filter((line) => line !== '')
  }

  await t.test('knows commands and options without the service', async (t) => {
    t.strictSame(await after('fla'), ['flags'])
    t.match(await after('flags', ''), ['copy', 'create', 'delete', 'get', 'history', 'list', 'off'])
    t.strictSame(await after('flags', 'list', '--ta'), ['--tag'])
    t.strictSame(await after('flags', 'list', '--type', ''), ['boolean', 'variant'])
    t.strictSame(await after('--json', 'segm'), ['segments'])
    t.notMatch(await after(''), ['__complete'])
    t.strictSame(await after('flags', 'no-such', ''), [])
    t.strictSame(service.requests, [])
  })

  await t.test('asks the service for keys', async (t) => {
    t.strictSame(await after('flags', 'on', 'che'), ['check-in', 'checkout'])
    t.strictSame(await after('evaluate', '-e', 'user-42', 'co'), ['color'])
    t.strictSame(await after('flags', 'list', '-n', ''), ['shop'])
    await after('flags', 'on', '-n', 'shop', '')
    t.match(service.requests.at(-1)?.path, '/api/v1/namespaces/shop/flags')
    const before = service.requests.length
    t.strictSame(await after('flags', 'on', 'checkout', ''), [], 'it takes one key')
    t.equal(service.requests.length, before)
  })

  await t.test('goes where the line goes', async (t) => {
    const other = await serve(t, () => ({ body: { flags: [{ key: 'other' }], nextPageToken: '' } }))
    t.strictSame(await after('flags', 'on', '--url', other.url, ''), ['other'])
  })
})

t.test('completion says nothing when the service does not answer in time', async (t) => {
  const service = await serve(t, () => new Promise(() => {}))
  const argv = ['__complete', '--', 'flags', 'on', '--url', service.url, '']
  t.match(await runLine(argv), { code: 0, stdout: '', stderr: '' })
  t.equal(service.requests.length, 1)
})

t.test('each shell has its script', async (t) => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    t.match(await runLine(['completion', shell]), { code: 0, stdout: /svc __complete -- / })
  }
  t.match(await runLine(['completion', 'tcsh']), { code: 2, stderr: /bash, zsh, fish/ })
})
