import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findProfile, profilesFile, removeProfile, saveProfile } from './profiles.ts'

function open(t: Test) {
  const folder = t.testdir({})
  const terminal = { env: { XDG_CONFIG_HOME: folder } }
  const file = profilesFile(terminal)
  return {
    terminal,
    file,
    folder: join(folder, 'svc'),
    read: async () => JSON.parse(await readFile(file, 'utf8')),
  }
}

const work = { url: 'https://flags.example.com', token: 'svc_work' }

t.test('profiles are where settings of users are', async (t) => {
  const at = (env: Record<string, string>) => profilesFile({ env })
  t.equal(at({ HOME: '/h' }), '/h/.config/svc/profiles.json')
  t.equal(at({ HOME: '/h', XDG_CONFIG_HOME: '/settings' }), '/settings/svc/profiles.json')
  t.equal(at({ HOME: '/h', XDG_CONFIG_HOME: '' }), '/h/.config/svc/profiles.json')
})

t.test('a profile is found as it was saved, by its name or as the last one', async (t) => {
  const { terminal } = open(t)
  t.equal(await findProfile(terminal, undefined), undefined)
  await saveProfile(terminal, 'work', { ...work, namespaceKey: 'shop', isOwnToken: true })
  await saveProfile(terminal, 'other', { url: 'http://localhost:8080' })
  t.strictSame(await findProfile(terminal, 'work'), {
    ...work,
    name: 'work',
    namespaceKey: 'shop',
    isOwnToken: true,
  })
  t.match(await findProfile(terminal, undefined), { name: 'other' })
  await t.rejects(findProfile(terminal, 'wrok'), {
    exitCode: 2,
    message: 'there is no profile "wrok"',
    hint: 'There are: work, other.',
  })
  t.equal(await findProfile(terminal, 'wrok', { mayBeNew: true }), undefined)
})

t.test('only the user can read them, whatever was there before', async (t) => {
  const { terminal, file, folder } = open(t)
  await saveProfile(terminal, 'work', work)
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.equal((await stat(folder)).mode & 0o777, 0o700)
  await chmod(file, 0o644)
  await saveProfile(terminal, 'work', work)
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.strictSame(await readdir(folder), ['profiles.json'], 'and nothing is left beside them')
})

t.test('a login without a name takes no profile of another service', async (t) => {
  const { terminal } = open(t)
  const nameFor = async (url: string) =>
    (await saveProfile(terminal, undefined, { url })).saved.name
  t.equal(await nameFor('https://one.example.com'), 'default')
  t.equal(await nameFor('https://two.example.com'), 'two.example.com')
  t.equal(await nameFor('https://one.example.com'), 'default', 'its own, again')
  t.equal(await nameFor('https://two.example.com/flags'), 'https://two.example.com/flags')
  t.match(await findProfile(terminal, undefined), { url: 'https://two.example.com/flags' })
})

t.test('what a login takes the place of is told', async (t) => {
  const { terminal } = open(t)
  t.equal((await saveProfile(terminal, 'work', work)).replaced, undefined)
  const { replaced } = await saveProfile(terminal, 'work', { url: work.url, token: 'svc_next' })
  t.match(replaced, work)
})

t.test('a profile is forgotten, and another one is the last', async (t) => {
  const { terminal, read } = open(t)
  await saveProfile(terminal, 'one', { url: 'http://localhost:1' })
  await saveProfile(terminal, 'two', { url: 'http://localhost:2' })
  await removeProfile(terminal, 'two')
  t.match(await findProfile(terminal, undefined), { name: 'one' })
  await removeProfile(terminal, 'one')
  await removeProfile(terminal, 'one')
  t.equal(await findProfile(terminal, undefined), undefined)
  t.strictSame(await read(), { profiles: {} })
})

t.test('logins at the same time all stay', async (t) => {
  const { terminal, read } = open(t)
  const names = Array.from({ length: 20 }, (_, i) => `p${i}`)
  await Promise.all(names.map((name) => saveProfile(terminal, name, work)))
  t.strictSame(Object.keys((await read()).profiles).toSorted(), names.toSorted())
})

t.test('the lock of a process that was killed is taken over', async (t) => {
  const { terminal, file, folder } = open(t)
  await mkdir(folder, { recursive: true })
  await writeFile(`${file}.lock`, '')
  const old = new Date(Date.now() - 60_000)
  await utimes(`${file}.lock`, old, old)
  await saveProfile(terminal, 'work', work)
  t.match(await findProfile(terminal, 'work'), work)
})

t.test('a link stays one, and what it leads to is replaced', async (t) => {
  const { terminal, file, folder } = open(t)
  await mkdir(folder, { recursive: true })
  const target = join(folder, 'elsewhere.json')
  await writeFile(target, '{"profiles":{}}')
  await symlink('elsewhere.json', file)
  await saveProfile(terminal, 'work', work)
  t.match(JSON.parse(await readFile(target, 'utf8')), { current: 'work' })
  t.equal((await stat(target)).mode & 0o777, 0o600)
})

t.test('a damaged file is said, and left as it is', async (t) => {
  const { terminal, file, folder } = open(t)
  await mkdir(folder, { recursive: true })
  const damaged = ['', '{', '[]', '{}', '{"profiles":{"a":1}}', '{"profiles":{"a":{"token":"t"}}}']
  for (const text of [...damaged, '{"current":1,"profiles":{}}', '{"profiles":{"a":{"url":1}}}']) {
    await writeFile(file, text)
    const refusal = { exitCode: 2, message: `${file} is damaged: it holds no profiles` }
    await t.rejects(findProfile(terminal, undefined), refusal, text)
    await t.rejects(saveProfile(terminal, 'work', work), refusal, text)
    t.equal(await readFile(file, 'utf8'), text)
  }
})

t.test('a folder that cannot be written is said', async (t) => {
  const folder = t.testdir({ file: '' })
  const terminal = { env: { XDG_CONFIG_HOME: join(folder, 'file') } }
  await t.rejects(saveProfile(terminal, 'work', work), {
    exitCode: 2,
    message: /cannot be written/,
  })
})

t.test('a folder of settings that cannot be there is none', async (t) => {
  const terminal = { env: { HOME: '/dev/null' } }
  t.equal(await findProfile(terminal, undefined), undefined)
  await t.rejects(findProfile(terminal, 'work'), { exitCode: 2, message: /no profile "work"/ })
  await t.rejects(saveProfile(terminal, 'work', work), { message: /cannot be written: ENOTDIR/ })
})

t.test('profiles that cannot be read are needed without an address alone', async (t) => {
  const { terminal, file } = open(t)
  await mkdir(file, { recursive: true })
  const said = { exitCode: 2, message: /profiles\.json cannot be read: EISDIR/ }
  await t.rejects(findProfile(terminal, undefined), said)
  await t.rejects(findProfile(terminal, 'work', { mayBeUnread: true }), said)
  t.equal(await findProfile(terminal, undefined, { mayBeUnread: true }), undefined)
})
