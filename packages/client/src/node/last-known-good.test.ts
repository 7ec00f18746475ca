import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { booleanFlag, countrySegment, recordsChange } from '../testing/records-text.ts'
import { LastKnownGood } from './last-known-good.ts'

async function folderOf(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'last-known-good-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function fileIn(folder: string, { namespace = 'shop', url = 'http://x' } = {}) {
  const file = join(folder, 'flags.json')
  return { file, kept: new LastKnownGood({ file, url, namespace }) }
}

const content = {
  revision: 42,
  flags: [booleanFlag('grün', true, 'x'), booleanFlag('b', false)],
  segments: [countrySegment('x', '🙂')],
}

t.test('what is written is read', async (t) => {
  const { kept, file } = fileIn(await folderOf(t))
  t.equal(await kept.read(), undefined, 'nothing without a file')
  for (const some of [content, { revision: 0 }, { revision: 7, flags: content.flags }]) {
    const change = recordsChange(some)
    await kept.write(change)
    const read = await kept.read()
    t.strictSame(read?.change, change)
    t.ok(Math.abs(Date.now() - (read?.writtenAtMs ?? 0)) < 60_000)
    t.ok(JSON.parse(await readFile(file, 'utf8')))
  }
})

t.test('a large file is written in between other turns', async (t) => {
  const { kept } = fileIn(await folderOf(t))
  const flags = Array.from({ length: 50_000 }, (_, i) => booleanFlag(`flag-${i}`, true, 'x'))
  const change = recordsChange({ revision: 1, flags })
  let turns = 0
  const timer = setInterval(() => turns++)
  t.teardown(() => clearInterval(timer))
  t.ok((await kept.write(change)) > 2 ** 20)
  t.ok(turns > 2, `${turns} turns`)
  turns = 0
  t.equal((await kept.read())?.change.flags.length, 50_000)
  t.ok(turns > 2, `${turns} turns`)
})

t.test('what was written before stays until the new is whole', async (t) => {
  const folder = await folderOf(t)
  const { kept } = fileIn(folder)
  const change = recordsChange(content)
  await kept.write(change)
  const broken = {
    ...change,
    get flags(): never {
      throw new Error('in the middle')
    },
  }
  await t.rejects(kept.write(broken), { message: 'in the middle' })
  t.strictSame((await kept.read())?.change, change)
  t.strictSame(await readdir(folder), ['flags.json'])
})

t.test('processes with the same id may write at once, as those of containers have', async (t) => {
  const folder = await folderOf(t)
  const flags = Array.from({ length: 10_000 }, (_, i) => booleanFlag(`flag-${i}`, true))
  const changes = [1, 2, 3].map((revision) => recordsChange({ revision, flags }))
  await Promise.all(changes.map((change) => fileIn(folder).kept.write(change)))
  t.equal((await fileIn(folder).kept.read())?.change.flags.length, 10_000)
  t.strictSame(await readdir(folder), ['flags.json'])
})

t.test('drafts that processes left when they were killed are cleared away', async (t) => {
  const folder = await folderOf(t)
  const { kept, file } = fileIn(folder)
  const left = [randomUUID(), randomUUID()].map((id) => `${file}.${id}.tmp`)
  const others = ['other.json.tmp', 'flags.json.mine.tmp', `${randomUUID()}.tmp`]
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000)
  for (const path of [...left, ...others.map((name) => join(folder, name))]) {
    await writeFile(path, '')
    await utimes(path, hoursAgo, hoursAgo)
  }
  const young = `flags.json.${randomUUID()}.tmp`
  await writeFile(join(folder, young), '')
  await kept.write(recordsChange(content))
  t.strictSame((await readdir(folder)).sort(), [...others, young, 'flags.json'].sort())
})

t.test('the same failure has the same words, so that it is said once', async (t) => {
  const { kept } = fileIn(join(await folderOf(t), 'missing'))
  const messages: unknown[] = []
  for (let i = 0; i < 2; i++) {
    await kept.write(recordsChange(content)).catch(({ message }: Error) => messages.push(message))
  }
  t.match(messages[0], /ENOENT/)
  t.equal(messages[1], messages[0])
})

t.test('any byte that is another one is found', async (t) => {
  const { kept, file } = fileIn(await folderOf(t))
  await kept.write(recordsChange(content))
  const bytes = await readFile(file)
  for (let place = 0; place < bytes.length; place += 7) {
    const damaged = Buffer.from(bytes)
    damaged.writeUInt8((damaged.readUInt8(place) + 1) % 256, place)
    await writeFile(file, damaged)
    await t.rejects(kept.read(), { name: 'SvcError', code: 15 }, `byte ${place}`)
    await writeFile(file, bytes.subarray(0, place))
    await t.rejects(kept.read(), { name: 'SvcError', code: 15 }, `${place} bytes`)
  }
})

t.test('a file of another namespace or version is not used', async (t) => {
  const folder = await folderOf(t)
  await fileIn(folder).kept.write(recordsChange(content))
  const other = fileIn(folder, { namespace: 'default' }).kept
  await t.rejects(other.read(), { code: 9, message: /namespace "shop", not "default"/ })
})

t.test('a file of another URL is not used, and replaced', async (t) => {
  const folder = await folderOf(t)
  await fileIn(folder, { url: 'http://staging' }).kept.write(recordsChange(content))
  const { kept, file } = fileIn(folder)
  const message = `${file} has the flags of http://staging, not http://x, and is not used: it is replaced when flags come`
  await t.rejects(kept.read(), { code: 15, message })
  await kept.write(recordsChange({ revision: 7 }))
  t.equal((await kept.read())?.change.revision, 7)
})
