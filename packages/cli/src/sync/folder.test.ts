import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { CliError } from '../exit-codes.ts'
import { readFolder } from './folder.ts'

const terminal = { stdin: Readable.from([]) }

const flag = 'flags:\n- {key: moved, name: Moved, type: BOOLEAN_FLAG_TYPE}\n'
const none = 'namespace: default\n'

/** Files between `a.yml` and `z.yml`: reading all of them takes a moment. */
const between = Array.from({ length: 6 }, (_, n) => `m-${n}.yml`)

/** A ConfigMap as Kubernetes mounts it: one link leads to all files, and another generation moves it. */
async function mount(t: Test) {
  const directory = join(t.testdir({ default: {} }), 'default')
  let generation = 0
  const swap = async () => {
    const before = `..${generation}`
    generation += 1
    const now = `..${generation}`
    await mkdir(join(directory, now))
    const write = (name: string, text: string) => writeFile(join(directory, now, name), text)
    // The flag goes to and fro.
    const isFirst = generation % 2 === 0
    await write('a.yml', isFirst ? flag : none)
    for (const name of between) await write(name, none)
    await write('z.yml', isFirst ? none : flag)
    await symlink(now, join(directory, '..data_tmp'))
    await rename(join(directory, '..data_tmp'), join(directory, '..data'))
    await rm(join(directory, before), { recursive: true, force: true })
  }
  await swap()
  for (const name of ['a.yml', ...between, 'z.yml']) {
    await symlink(join('..data', name), join(directory, name))
  }
  return { directory, root: join(directory, '..'), swap }
}

t.test('a folder whose link is moved meanwhile is read as it was at one moment', async (t) => {
  const { root, swap } = await mount(t)
  let isDone = false
  const swapping = (async () => {
    while (!isDone) {
      await swap()
      await sleep(Math.random() * 40)
    }
  })()
  const wrong: unknown[] = []
  let read = 0
  for (let n = 0; n < 40; n++) {
    try {
      const { namespaces } = await readFolder(terminal, root)
      const keys = namespaces.flatMap(({ flags }) => flags.map(({ key }) => key))
      if (keys.join() === 'moved') read += 1
      else wrong.push(keys)
    } catch (error) {
      // Refused is as good; a flag that is in both files is not.
      if (!(error instanceof CliError)) wrong.push(error)
    }
  }
  isDone = true
  await swapping
  t.strictSame(wrong, [], 'the flag is in one of the files')
  t.ok(read > 0, `${read} of 40 times`)
})

t.test('a folder that does not come to rest is refused', async (t) => {
  const { root, directory } = await mount(t)
  let isDone = false
  const moving = (async () => {
    for (let n = 0; !isDone; n++) {
      await mkdir(join(directory, `..own-${n}`))
      await writeFile(join(directory, `..own-${n}`, 'm-1.yml'), none)
      await symlink(join(`..own-${n}`, 'm-1.yml'), join(directory, '..new'))
      await rename(join(directory, '..new'), join(directory, 'm-1.yml'))
    }
  })()
  const error: unknown = await readFolder(terminal, root).catch((error: unknown) => error)
  isDone = true
  await moving
  t.match(error, { exitCode: 2, message: /changes while it is read/, hint: /Nothing was sent/ })
})

t.test(
  'files that are written in place meanwhile are read as they were at one moment',
  async (t) => {
    const root = t.testdir({
      ...Object.fromEntries(between.map((name) => [name, none])),
      ...{ 'a.yml': flag, 'z.yml': none },
    })
    let isDone = false
    const moving = (async () => {
      let from = 'a.yml'
      let to = 'z.yml'
      while (!isDone) {
        // It is always in one of them.
        await writeFile(join(root, to), flag)
        await writeFile(join(root, from), none)
        ;[from, to] = [to, from]
        // Longer than a tick of the clock of the file system.
        await sleep(15 + Math.random() * 15)
      }
    })()
    let read = 0
    let lost = 0
    for (let n = 0; n < 100; n++) {
      try {
        const { namespaces } = await readFolder(terminal, root)
        if (namespaces.some(({ flags }) => flags.length > 0)) read += 1
        else lost += 1
      } catch {
        // In both, or still changing: nothing is sent then.
      }
    }
    isDone = true
    await moving
    t.equal(lost, 0, `of ${read + lost} that were read`)
    t.equal((await readFolder(terminal, root)).namespaces[0]?.flags.length, 1, 'at rest it is read')
  },
)

t.test('an empty file is refused, as one that is just being written', async (t) => {
  const root = t.testdir({ 'a.yml': flag, 'b.yml': '' })
  await t.rejects(readFolder(terminal, root), { exitCode: 2, message: /b\.yml is empty/ })
})

t.test('a link that leads nowhere is named', async (t) => {
  const { root, directory } = await mount(t)
  await symlink('..data/none.yml', join(directory, 'none.yml'))
  await t.rejects(readFolder(terminal, root), {
    exitCode: 2,
    message: /none\.yml: there is no such file or folder/,
  })
})
