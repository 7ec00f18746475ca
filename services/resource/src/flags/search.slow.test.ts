import type { Flag } from '@svc/proto/resource/v1/flags'
import t from 'tap'
import { sorts } from '../records/order.ts'
import { openResources, type Resources } from '../testing/resources.ts'

/** The same numbers each time. @returns whole numbers below `limit` */
function seeded(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const next = seeded(20_261_122)

function pick<T>(choices: readonly T[]): T {
  const choice = choices[next(choices.length)]
  if (choice === undefined) throw new Error('nothing to pick from')
  return choice
}

const words = [
  'Check',
  'out',
  '50%',
  'a_b',
  'a\\b',
  'Ärger',
  'ärger',
  'ПРИВЕТ',
  'ab',
  "'",
  '"',
  'ß',
]
const tags = ['pay', 'Pay', 'eu', 'ops', 'ä', '"', '{}', 'x'.repeat(64)]
const owners = ['team-a', 'Team-A', 'ö', '{"']

/** Values of `tags` and `owner`, also such as mean nothing. */
const tagValues: readonly unknown[] = [
  ...Array.from({ length: 12 }, () => [pick(tags), pick(tags)]),
  ['pay', 7, null, ['eu'], { ops: 1 }, '', 'x'.repeat(65), 'eu'],
  Array.from({ length: 30 }, (_, index) => (index === 25 ? 'pay' : `t${index}`)),
  'pay',
  { pay: true },
  null,
  5,
]
const ownerValues: readonly unknown[] = [...owners, ...owners, 5, null, ['team-a'], { a: 1 }]

const sentence = () => Array.from({ length: 1 + next(3) }, () => pick(words)).join(pick(['', ' ']))

interface Search {
  readonly q?: string | undefined
  readonly type?: Flag['type'] | undefined
  readonly enabled?: boolean | undefined
  readonly tags?: string[] | undefined
  readonly owner?: string | undefined
  readonly sort?: string | undefined
}

const maybe = <T>(value: T) => (next(3) === 0 ? value : undefined)

function randomSearch(): Search {
  return {
    q: maybe(pick([...words, 'CHECK', 'chEckOut', 'привет', 'F-1', '%', '_', '\\', 'é', 'SS'])),
    type: maybe(pick(['BOOLEAN_FLAG_TYPE', 'VARIANT_FLAG_TYPE'])),
    enabled: maybe(next(2) === 0),
    tags: maybe([pick(tags), pick(tags)].slice(next(2))),
    owner: maybe(pick(owners)),
    sort: maybe(pick([...sorts.keys()])),
  }
}

/** By Unicode's simple mapping: what becomes several characters stays as it is. */
const fold = (text: string) =>
  Array.from(text, (char) => {
    const lower = char.toLowerCase()
    return Array.from(lower).length === 1 ? lower : char
  }).join('')

function tagsOf({ metadata }: Flag): string[] {
  const list: unknown = metadata?.tags
  const texts = Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
  return texts.filter((text) => text !== '' && Array.from(text).length <= 64).slice(0, 20)
}

function isFound(flag: Flag, { q = '', type, enabled, tags = [], owner = '' }: Search): boolean {
  return (
    [flag.key, flag.name, flag.description].some((text) => fold(text).includes(fold(q))) &&
    (type === undefined || flag.type === type) &&
    (enabled === undefined || flag.enabled === enabled) &&
    tags.every((tag) => tagsOf(flag).includes(tag)) &&
    (owner === '' || flag.metadata?.owner === owner)
  )
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

type Instant = { readonly seconds: number; readonly nanos: number } | undefined
const byTime = (a: Instant, b: Instant) =>
  (a?.seconds ?? 0) - (b?.seconds ?? 0) || (a?.nanos ?? 0) - (b?.nanos ?? 0)

const comparisons: Record<string, (a: Flag, b: Flag) => number> = {
  key: (a, b) => byBytes(a.key, b.key),
  name: (a, b) => byBytes(fold(a.name), fold(b.name)) || byBytes(a.key, b.key),
  createdAt: (a, b) => byTime(a.createdAt, b.createdAt),
  updatedAt: (a, b) => byTime(a.updatedAt, b.updatedAt),
}

/** @param flags in the order of their creation */
function search(flags: readonly Flag[], wanted: Search): Flag[] {
  const found = flags.filter((flag) => isFound(flag, wanted))
  const { sort = '' } = wanted
  const compare = comparisons[sort.replace('-', '')] ?? (() => 0)
  // What ties is in the order of creation, or in the reverse.
  found.sort(compare)
  return sort.startsWith('-') ? found.reverse() : found
}

async function createFlags({ createFlag, updateFlag }: Resources, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const metadata = {
      ...(next(4) > 0 && { tags: pick(tagValues) }),
      ...(next(3) > 0 && { owner: pick(ownerValues) }),
    }
    await createFlag({
      key: `f-${index}${pick(['', '-Check', '_b'])}`,
      name: sentence(),
      description: pick(['', sentence()]),
      enabled: next(2) === 0,
      type: pick(['BOOLEAN_FLAG_TYPE', 'VARIANT_FLAG_TYPE']),
      ...(next(5) > 0 && { metadata }),
    })
    if (index % 7 === 0) await updateFlag({ key: 'f-0', name: sentence() }).catch(() => undefined)
  }
}

const keysOf = (flags: readonly { readonly key: string }[]) => flags.map(({ key }) => key)

t.test('flags are found and sorted as by hand, whole and in pages', async (t) => {
  const resources = await openResources(t)
  await resources.createNamespace({ key: 'other', name: 'Other' })
  await resources.createFlag({ namespaceKey: 'other', key: 'f-1', name: 'Check' })
  await createFlags(resources, 150)
  const { flags } = await resources.listFlags({})
  t.equal(flags.length, 150)
  let found = 0
  for (let round = 0; round < 150; round += 1) {
    const wanted = randomSearch()
    const expected = keysOf(search(flags, wanted))
    found += expected.length
    const whole = await resources.listFlags(wanted)
    t.strictSame(keysOf(whole.flags), expected, JSON.stringify(wanted))
    t.equal(whole.totalCount, expected.length)
    const limit = 1 + next(40)
    const paged: string[] = []
    for (let pageToken = ''; ; ) {
      const page = await resources.listFlags({ ...wanted, limit, pageToken })
      t.equal(page.totalCount, expected.length)
      paged.push(...keysOf(page.flags))
      pageToken = page.nextPageToken
      if (pageToken === '') break
    }
    t.strictSame(paged, expected, `in pages of ${limit}: ${JSON.stringify(wanted)}`)
  }
  t.ok(found > 1500, `${found} were found`)
})

/** What a name has, what is sought, and whether it is found. */
const caseTable: [name: string, q: string, isFound: boolean][] = [
  ['Größe', 'GRÖSSE', false],
  ['Größe', 'gRÖßE', true],
  ['ÅNGSTRÖM', 'ångström', true],
  ['привет', 'ПРИВЕТ', true],
  ['ΣΊΣΥΦΟΣ', 'σίσυφοσ', true],
  ['Σίσυφος', 'ΣΊΣΥΦΟΣ', false],
  ['İstanbul', 'istanbul', true],
  ['Isparta', 'ısparta', false],
  ['𐐀', '𐐨', true],
  // Composed and decomposed characters differ.
  ['caf\u00e9', 'CAFE\u0301', false],
  ['a%b', 'A%', true],
  ['ab', '%', false],
  ['ab', 'a_', false],
  ['a\\b', '\\', true],
  ['a\nb', 'A\nB', true],
]

t.test('a text is found in upper or lower case, character by character', async (t) => {
  const { createFlag, deleteFlag, listFlags } = await openResources(t)
  for (const [name, q, isFound] of caseTable) {
    await t.test(`${q} in ${name}`, async (t) => {
      await createFlag({ key: '0', name })
      t.equal((await listFlags({ q })).totalCount, isFound ? 1 : 0)
      await deleteFlag({ key: '0' })
    })
  }
})

t.test('a text is not found across fields', async (t) => {
  const { createFlag, listFlags } = await openResources(t)
  await createFlag({ key: 'ab', name: 'cd', description: 'ef' })
  for (const q of ['bc', 'de', 'abcd']) t.equal((await listFlags({ q })).totalCount, 0)
})
