import t from 'tap'
import { fileToken } from './file-token.ts'

t.test('a token file is read again for each connection, and when it was refused', async (t) => {
  let content: string | Error = 'one\n'
  const source = fileToken('/run/token', async () => {
    if (content instanceof Error) throw content
    return content
  })
  t.equal(await source.get(), 'one')
  t.equal(await source.hasChanged(), false)
  t.equal(await source.renew('one'), false)
  content = 'two'
  t.equal(await source.hasChanged(), true)
  t.equal(await source.renew('one'), true)
  t.equal(await source.get(), 'two')
  content = ''
  await t.rejects(source.get(), { code: 16, message: '/run/token is empty' })
  t.equal(await source.hasChanged(), false, 'being written, it is none')
  content = new Error('ENOENT')
  t.equal(await source.hasChanged(), false)
  content = 'two'
  t.equal(await source.hasChanged(), true, 'after there was none, the same is another one')
})
