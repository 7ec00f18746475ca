import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { emptyDataDirectory, openDataDirectory, shownPath } from './start.data.ts'

t.test('makes the directory, closed to others', async (t) => {
  const directory = join(t.testdir({}), 'a/b')
  const lock = await openDataDirectory(directory)
  t.equal(statSync(directory).mode & 0o066, 0)
  lock.release()
  t.strictSame(readdirSync(directory), ['svc-data'])
})

t.test('takes an empty directory, and one of its own', async (t) => {
  const directory = t.testdir({})
  for (let i = 0; i < 2; i++) (await openDataDirectory(directory)).release()
})

t.test('refuses a directory with anything else in it', async (t) => {
  const directory = t.testdir({ 'thesis.tex': 'Introduction' })
  await t.rejects(openDataDirectory(directory), {
    message: /holds something else\. Use another directory with --data\.$/,
  })
  t.strictSame(readdirSync(directory), ['thesis.tex'])
})

t.test('refuses what is not a directory', async (t) => {
  const file = join(t.testdir({ file: '' }), 'file')
  await t.rejects(openDataDirectory(file), { message: /^Can't use .* for data \(E\w+\)\.$/ })
})

t.test('says who uses it', async (t) => {
  const directory = t.testdir({})
  await openDataDirectory(directory)
  await t.rejects(openDataDirectory(directory), {
    message: new RegExp(`is in use by pid ${process.pid}, another npm start\\. Stop it, or`),
  })
})

t.test('is emptied but for what keeps others out', async (t) => {
  const directory = t.testdir({ 'svc-data': '', postgres: { data: { PG_VERSION: '18' } }, log: '' })
  const lock = await openDataDirectory(directory)
  await emptyDataDirectory(directory)
  t.strictSame(readdirSync(directory).toSorted(), ['lock', 'svc-data'])
  lock.release()
})

t.test('is shown as one would type it', async (t) => {
  t.equal(shownPath(join(process.cwd(), '.data')), './.data')
  t.equal(shownPath('/srv/flags'), '/srv/flags')
  t.notOk(existsSync(shownPath('/srv/flags/none')))
})
