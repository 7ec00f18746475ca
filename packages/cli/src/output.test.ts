import t from 'tap'
import { runLine, serve } from './run.test.support.ts'

const flag = { key: 'checkout', name: 'Checkout', enabled: true, type: 'BOOLEAN_FLAG_TYPE' }

t.test('what others have written does not steer the terminal', async (t) => {
  const name = 'Pay\u001b]0;title\u0007\u001b[2J\u202egnp.\nnew \u001b[31mline'
  const { url } = await serve(t, () => ({
    body: { flags: [{ ...flag, name }], nextPageToken: '' },
  }))
  const argv = ['flags', 'list', '--url', url]
  const { stdout } = await runLine(argv, { isTerminal: true })
  t.match(stdout, 'Pay�]0;title��[2J�gnp.')
  t.strictSame(JSON.parse((await runLine([...argv, '--json'])).stdout).name, name)
  const refused = await serve(t, () => ({ status: 400, body: { code: 3, message: name } }))
  const { stderr } = await runLine(['flags', 'list', '--url', refused.url])
  t.notMatch(stderr, '\u001b[2J')
})

t.test('columns stand below their titles', async (t) => {
  const flags = [flag, { ...flag, key: 'a', name: 'Ä b', enabled: false }]
  const { url } = await serve(t, () => ({ body: { flags, nextPageToken: '' } }))
  const { stdout } = await runLine(['flags', 'list', '--url', url])
  t.equal(
    stdout,
    [
      'KEY       TYPE     STATE  NAME',
      'checkout  boolean  on     Checkout',
      'a         boolean  off    Ä b',
      '',
    ].join('\n'),
  )
})

t.test('an empty list is a word on stderr, and nothing with --quiet', async (t) => {
  const { url } = await serve(t, () => ({ body: { flags: [], nextPageToken: '', key: 'default' } }))
  const argv = ['flags', 'list', '--url', url]
  t.match(await runLine(argv), { code: 0, stdout: '', stderr: /No flags in default/ })
  t.match(await runLine([...argv, '--quiet']), { code: 0, stdout: '', stderr: '' })
  t.match(await runLine([...argv, '--json']), { code: 0, stdout: '', stderr: '' })
})
