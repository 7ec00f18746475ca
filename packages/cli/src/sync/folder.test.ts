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

t.test('a link that leads nowhere is named', async (t) => {
  const { root, directory } = await mount(t)
  await symlink('..data/none.yml', join(directory, 'none.yml'))
  await t.rejects(readFolder(terminal, root), {
    exitCode: 2,
    message: /none\.yml: there is no such file or folder/,
  })
})
