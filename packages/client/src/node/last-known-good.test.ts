import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
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

function fileIn(folder: string, namespace = 'shop') {
  const file = join(folder, 'flags.json')
  return { file, kept: new LastKnownGood({ file, url: 'http://x', namespace }) }
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

t.test('nothing is written through a link that lies there', async (t) => {
  const folder = await folderOf(t)
  const { kept, file } = fileIn(folder)
  const target = join(folder, 'target')
  await writeFile(target, 'mine')
  await symlink(target, `${file}.${process.pid}.tmp`)
  await kept.write(recordsChange(content))
  t.equal(await readFile(target, 'utf8'), 'mine')
  t.ok(await kept.read())
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
  const other = fileIn(folder, 'default').kept
  await t.rejects(other.read(), { code: 9, message: /namespace "shop", not "default"/ })
})
