import t, { type Test } from 'tap'
import { runLine, serve } from './run.test.support.ts'

/** Runs a command at a service that answers it with 404, and has the namespaces and flags of a shop. */
async function run(t: Test, argv: readonly string[], message: string) {
  const { url } = await serve(t, ({ path }) => {
    const { pathname, searchParams } = new URL(path, 'http://x')
    if (pathname === '/api/v1/namespaces') {
      return { body: { namespaces: [{ key: 'default' }, { key: 'shop' }] } }
    }
    if (pathname.endsWith('/flags')) {
      return { body: { flags: [{ key: 'checkout' }, { key: 'check-in' }] } }
    }
    const isPresent = argv[0] === 'restore' && !searchParams.has('revision')
    if (isPresent)
      return { body: { revision: 6, settings: {}, flags: [], segments: [], nextPageToken: '' } }
    return { status: 404, body: { code: 5, message, details: [] } }
  })
  return runLine([...argv, '--url', url])
}

t.test('a namespace or flag that was probably meant is named', async (t) => {
  const namespace = await run(
    t,
    ['ns', 'set', 'shp', '--name', 'Shop'],
    'namespace "shp" not found',
  )
  t.match(namespace, { code: 1, stderr: /not found\nDid you mean "shop"\?/ })
  const flag = await run(t, ['flags', 'get', 'chekout'], 'flag "default/chekout" not found')
  t.match(flag, { code: 1, stderr: /not found\nDid you mean "checkout"\?/ })
})

t.test('what is there is not suggested in its own place', async (t) => {
  for (const message of [
    'revision 999999 of namespace "default" is not there yet',
    'namespace "default" did not exist at revision 999999',
  ]) {
    const { code, stderr } = await run(t, ['restore', '--at', '999999'], message)
    t.equal(code, 1)
    t.equal(stderr, `error: ${message}\n`)
  }
  const message = 'segment "default/nope" not found'
  const { stderr } = await run(t, ['flags', 'on', 'checkout'], message)
  t.match(stderr, `error: ${message}\n`)
  t.notMatch(stderr, 'Did you mean "checkout"')
})
