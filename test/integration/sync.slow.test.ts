import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createApi } from '@svc/client/api'
import { canonicalText, type DocumentOf } from '@svc/documents'
import { type NamespaceContent, readFiles, writeNamespace } from '@svc/documents/files'
import { randomDocuments } from '@svc/documents/testing'
import t, { type Test } from 'tap'
import { createRandom, type Random } from '../support/random.ts'
import { sendableFlags } from '../support/random-documents.ts'
import { startStack } from '../support/stack.ts'
import { svcFor } from '../support/svc.ts'

/** Folders that are synced one after the other, over the same namespaces. */
const folders = Number(process.env.SYNC_FOLDERS ?? 100)

const seed = 20_261_125
const namespaceKeys = ['default', 'shop', 'team-a']
const manager = 'shop-flags'

type Files = Readonly<Record<string, string>>

async function start(t: Test) {
  const { urls, token } = await startStack(t)
  const api = createApi({ url: urls[0], token })
  const svc = svcFor({ url: urls[0], token })
  const directory = join(t.testdir({}), 'flags')
  const write = async (files: Files) => {
    await rm(directory, { recursive: true, force: true })
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true })
      await writeFile(join(directory, name), text)
    }
  }
  const sync = (...more: readonly string[]) =>
    svc(['sync', directory, '--manager', manager, ...more])
  return { api, svc, sync, write }
}

/** Some of a list, in its order. */
function someOf<T>(random: Random, list: readonly T[], probability: number): T[] {
  return list.filter(() => random.happens(probability))
}

/** Keys of flags: the type of each is the same in all folders, for it cannot change. */
const flagKeys = Array.from({ length: 9 }, (_, n) => `flag-${n}`)
const segmentKeys = ['beta', 'eu', 'guests', 'staff']

/** Random content of a namespace. */
function drawContent(random: Random, namespaceKey: string): NamespaceContent {
  const drawn = sendableFlags(flagKeys.length, random.below(2 ** 30))
  const flags = flagKeys.map((key, n) => {
    const type = n % 2 === 0 ? 'BOOLEAN_FLAG_TYPE' : 'VARIANT_FLAG_TYPE'
    return { ...drawn[n], key, type } as DocumentOf['flag']
  })
  const [...segments] = randomDocuments('segment', {
    count: segmentKeys.length,
    seed: random.below(2 ** 30),
  })
  return {
    namespaceKey,
    settings: { name: `Name ${random.below(5)}`, description: '' },
    flags: someOf(random, flags, 0.6),
    // Flags may use any of them.
    segments: segmentKeys.map((key, n) => ({ ...segments[n], key }) as DocumentOf['segment']),
  }
}

/** One namespace as files: in its folder, or on the ground with its name; whole or in two. */
function toFiles(random: Random, content: NamespaceContent): Files {
  const format = random.pick(['yaml', 'json'] as const)
  const ending = format === 'yaml' ? random.pick(['yml', 'yaml']) : 'json'
  const textOf = (part: NamespaceContent) =>
    [...writeNamespace(part, { format, isFirst: true })].join('')
  const { namespaceKey } = content
  const at = random.happens(0.7)
    ? `${namespaceKey}/${random.pick(['', 'deep/er/'])}`
    : `${namespaceKey}-`
  if (random.happens(0.5)) return { [`${at}all.${ending}`]: textOf(content) }
  return {
    [`${at}flags.${ending}`]: textOf({ ...content, segments: [] }),
    [`${at}segments.${ending}`]: textOf({ ...content, flags: [] }),
  }
}

/** All documents, by namespace and key. */
function textsOf(namespaces: readonly Omit<NamespaceContent, 'settings'>[]): Map<string, string> {
  return new Map(
    namespaces.flatMap(({ namespaceKey, flags, segments }) => [
      ...flags.map(
        (one) => [`${namespaceKey} flag ${one.key}`, canonicalText('flag', one)] as const,
      ),
      ...segments.map(
        (one) => [`${namespaceKey} segment ${one.key}`, canonicalText('segment', one)] as const,
      ),
    ]),
  )
}

t.test(`${folders} random folders: an export holds what the folder does`, async (t) => {
  const { api, svc, sync, write } = await start(t)
  const random = createRandom(seed)
  for (const key of namespaceKeys.slice(1)) await api.namespaces.create({ key, name: key })

  // By hand, and of another manager.
  const foreign = { hand: undefined, other: 'terraform' }
  for (const namespaceKey of namespaceKeys) {
    for (const [key, manager] of Object.entries(foreign)) {
      const segment = { name: key }
      const rollouts = [{ segment: { segments: [key], value: true } }]
      const flag = { name: key, type: 'BOOLEAN_FLAG_TYPE', rollouts } as const
      await api.documents.apply({
        ...{ namespaceKey, manager },
        operations: [
          { kind: 'SEGMENT_KIND', key, segment },
          { kind: 'FLAG_KIND', key, flag },
        ],
      })
    }
  }
  const readForeign = () =>
    Promise.all(
      namespaceKeys.flatMap((namespaceKey) =>
        Object.keys(foreign).flatMap((key) => [
          api.documents.getFlag({ namespaceKey, key }),
          api.documents.getSegment({ namespaceKey, key }),
        ]),
      ),
    )
  const foreignBefore = await readForeign()
  const isForeign = (name: string) => / (?:hand|other)$/.test(name)

  const revisions = async () =>
    Promise.all(
      namespaceKeys.map(
        async (namespaceKey) => (await api.documents.getNamespace({ namespaceKey })).revision,
      ),
    )
  const counts = { created: 0, updated: 0, deleted: 0 }
  for (let n = 0; n < folders; n++) {
    const drawn = someOf(random, namespaceKeys, 0.7).map((key) => drawContent(random, key))
    const contents = drawn.length > 0 ? drawn : [drawContent(random, 'shop')]
    const files = Object.assign({}, ...contents.map((one) => toFiles(random, one))) as Files
    await write(files)
    const done = await sync('--json')
    if (done.code !== 0) throw new Error(`folder ${n}: ${done.stderr}`)
    for (const { items } of JSON.parse(done.stdout).namespaces) {
      for (const { action } of items) {
        const name = String(action).replace('_ACTION', '').toLowerCase()
        if (name in counts) counts[name as keyof typeof counts] += 1
      }
    }

    const keys = contents.map(({ namespaceKey }) => namespaceKey)
    const exported = await svc(['export', '--namespaces', keys.join(',')])
    const { namespaces } = readFiles([{ name: 'export.yml', text: exported.stdout }])
    const found = textsOf(namespaces)
    for (const name of [...found.keys()].filter(isForeign)) found.delete(name)
    const given = readFiles(
      Object.entries(files).map(([name, text]) => {
        const [folder] = name.includes('/') ? name.split('/') : []
        return { name, text, namespaceKey: folder }
      }),
    )
    const sorted = (texts: ReadonlyMap<string, string>) => [...texts].sort()
    t.strictSame(sorted(found), sorted(textsOf(given.namespaces)), `folder ${n}`)
    t.strictSame(
      namespaces.map(({ settings }) => settings?.name),
      keys.map((key) => contents.find(({ namespaceKey }) => namespaceKey === key)?.settings.name),
    )

    const before = await revisions()
    t.match((await sync()).stdout, /^nothing to change: \d+ unchanged\n$/)
    t.strictSame(await revisions(), before, 'a second sync writes nothing')
  }
  t.strictSame(await readForeign(), foreignBefore, 'what others made is as it was')
  t.comment(JSON.stringify(counts))
  for (const count of Object.values(counts)) t.ok(count > folders, 'there was much to do')
})

const checkout =
  'flags:\n- {key: checkout, name: Checkout, type: BOOLEAN_FLAG_TYPE, enabled: true}\n'

t.test('a plan', async (t) => {
  const { api, sync, write } = await start(t)
  const namespaceKey = 'shop'
  const planOf = async () => {
    const { code, stdout } = await sync('--dry-run', '--json')
    t.equal(code, 0)
    return String(JSON.parse(stdout).plan)
  }
  const nameOf = async () => {
    const read = api.documents.getFlag({ namespaceKey, key: 'checkout' })
    return read.then(
      ({ flag }) => flag.name,
      () => undefined,
    )
  }
  const other = checkout.replace('name: Checkout', 'name: Other')

  await t.test('of a namespace that does not exist yet is done, and no other', async (t) => {
    await write({ 'shop/a.yml': checkout })
    const plan = await planOf()
    t.equal(await planOf(), plan, 'it is the same each time')
    await write({ 'shop/a.yml': other })
    const stale = await sync('--plan', plan)
    t.equal(stale.code, 4)
    t.match(stale.stderr, /the plan is another one now: [0-9a-f]{64}\n/)
    const missing = api.namespaces.get({ key: namespaceKey })
    await t.rejects(missing, { message: /not found/ })
    await write({ 'shop/a.yml': checkout })
    t.equal((await sync('--plan', plan)).code, 0)
    t.equal(await nameOf(), 'Checkout')
  })

  await t.test('is stale once an object of it was changed', async (t) => {
    await write({ 'shop/a.yml': other })
    const plan = await planOf()
    const patch = { description: 'by hand' }
    const operations = [{ kind: 'FLAG_KIND', key: 'checkout', patch }] as const
    await api.documents.apply({ namespaceKey, operations })
    t.equal((await sync('--plan', plan)).code, 4)
    t.equal(await nameOf(), 'Checkout', 'nothing was written')
    const next = await planOf()
    t.not(next, plan)
    t.equal((await sync('--plan', next)).code, 0)
    t.equal(await nameOf(), 'Other')
  })

  await t.test('is not stale when others change what is theirs', async (t) => {
    await write({ 'shop/a.yml': checkout })
    const plan = await planOf()
    await api.flags.create({
      namespaceKey,
      key: 'theirs',
      name: 'Theirs',
      type: 'BOOLEAN_FLAG_TYPE',
    })
    t.equal((await sync('--plan', plan)).code, 0)
    t.equal(await nameOf(), 'Checkout')
  })

  await t.test('shows drift, and a sync takes it back', async (t) => {
    t.equal((await sync('--dry-run', '--exit-code')).code, 0)
    const patch = { enabled: false }
    const operations = [{ kind: 'FLAG_KIND', key: 'checkout', patch }] as const
    await api.documents.apply({ namespaceKey, operations })
    const drift = await sync('--dry-run', '--exit-code')
    t.equal(drift.code, 3)
    t.match(drift.stdout, /^shop\n {2}~ flag checkout\n {6}enabled: false → true\n1 updated/)
    t.equal((await sync()).code, 0)
    t.equal((await sync('--dry-run', '--exit-code')).code, 0)
  })

  await t.test('two syncs at once do it once', async (t) => {
    await write({ 'shop/a.yml': other, 'new/a.yml': checkout })
    const ended = await Promise.all([sync(), sync(), sync()])
    t.strictSame(
      ended.map(({ code }) => code),
      [0, 0, 0],
      ended.map(({ stderr }) => stderr).join('\n'),
    )
    const { changes } = await api.changes.list({ namespaceKey: 'new', source: 'apply' })
    t.equal(changes.length, 1)
  })
})
