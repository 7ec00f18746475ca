import t from 'tap'
import { isMissing, readSmallFile, unreadable } from './small-file.ts'

t.test('a file is read whole up to the bound, and not beyond', async (t) => {
  const directory = t.testdir({ file: 'grün' })
  const path = `${directory}/file`
  t.equal(readSmallFile(path, 5), 'grün')
  t.throws(() => readSmallFile(path, 4), { code: 'ETOOBIG' })
  t.throws(() => readSmallFile(directory, 5), { code: 'EISDIR' })
  t.throws(() => readSmallFile(`${path}/x`, 5), { code: 'ENOTDIR' })
})

t.test('the reason is given in words, or by its code', async (t) => {
  const failed = (code: string) => Object.assign(new Error('failed'), { code })
  t.equal(unreadable(failed('EACCES')), 'may not be read by this user')
  t.equal(unreadable(failed('EIO')), 'cannot be read (EIO)')
  t.ok(isMissing(failed('ENOENT')))
  t.notOk(isMissing(failed('EACCES')))
})
