import t from 'tap'
import { sorts } from '../records/order.ts'
import { openResources, type Resources } from '../testing/resources.ts'

const keysOf = ({ flags }: { readonly flags: readonly { readonly key: string }[] }) =>
  flags.map(({ key }) => key)

async function createFlags({ createFlag }: Resources, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, index) => `f${String(index).padStart(3, '0')}`)
  for (const key of keys) {
    // Names in another order than keys, and each twice.
    const name = `Name ${Math.floor((Number(key.slice(1)) * 37) % 64)}`
    await createFlag({ key, name, metadata: { tags: ['stays'] } })
  }
  return keys
}

t.test('what stays is on one page, whatever is written between pages', async (t) => {
  const resources = await openResources(t)
  const keys = await createFlags(resources, 64)
  const isLeft = (key: string) => Number(key.slice(1)) % 8 === 3
  for (const [round, sort] of [...sorts.keys(), ''].entries()) {
    const seen: string[] = []
    let page = 0
    for (let pageToken = ''; ; ) {
      const list = await resources.listFlags({ tags: ['stays'], sort, limit: 7, pageToken })
      seen.push(...keysOf(list))
      pageToken = list.nextPageToken
      if (pageToken === '') break
      // One that was seen is deleted, as is one that was not; others come before, after and in between.
      const gone = [list.flags.at(-1)?.key ?? '', keys.find((key) => !seen.includes(key)) ?? '']
      for (const key of gone.filter(isLeft)) await resources.deleteFlag({ key })
      const name = `Name ${page * 9}x`
      const key = `${'afz'[page % 3]}-${round}-${page}`
      await resources.createFlag({ key, name, metadata: { tags: ['stays'] } })
      page += 1
    }
    const stayed = keys.filter((key) => !isLeft(key))
    const seenOfThem = seen.filter((key) => stayed.includes(key))
    t.strictSame(seenOfThem.toSorted(), stayed, `by ${sort}: each of them once`)
    t.equal(new Set(seen).size, seen.length, `by ${sort}: none twice`)
  }
})

t.test('a page token belongs to its filter and sort', async (t) => {
  const { listFlags, listSegments, createSegment, createNamespace, ...resources } =
    await openResources(t)
  await createFlags({ listFlags, listSegments, createSegment, createNamespace, ...resources }, 6)
  const query = { q: 'f0', tags: ['stays', 'stays'], enabled: false, sort: '-name', limit: 2 }
  const { nextPageToken } = await listFlags(query)
  const { nextPageToken: plain } = await listFlags({ limit: 2 })
  t.equal(Buffer.from(plain, 'base64url').toString(), '[2]', 'that of a plain list is as ever')

  await t.test('fits with another limit, and tags in another order', async (t) => {
    const pageToken = nextPageToken
    t.equal((await listFlags({ ...query, pageToken, limit: 10, tags: ['stays'] })).flags.length, 4)
  })

  const message = 'pageToken is of a list with another filter or sort: repeat those'
  const others = {
    'another text': { q: 'f' },
    'no text': { q: '' },
    'a type': { type: 'BOOLEAN_FLAG_TYPE' },
    'another state': { enabled: true },
    'another tag': { tags: ['stays', 'more'] },
    'an owner': { owner: 'o' },
    'the reverse': { sort: 'name' },
    'no sort': { sort: '' },
    'another namespace': { namespaceKey: 'other' },
  } as const
  for (const [what, other] of Object.entries(others)) {
    await t.test(`not with ${what}`, async (t) => {
      await t.rejects(listFlags({ ...query, pageToken: nextPageToken, ...other }), { message })
    })
  }
  await t.test('a token of a plain list, and for one', async (t) => {
    await t.rejects(listFlags({ ...query, pageToken: plain }), { message })
    await t.rejects(listFlags({ limit: 2, pageToken: nextPageToken }), { message })
    await t.rejects(listFlags({ limit: 2, sort: 'key', pageToken: plain }), { message })
  })
  await t.test('one that was changed', async (t) => {
    const [name] = JSON.parse(Buffer.from(nextPageToken, 'base64url').toString())
    const strange = [[name], [name, 'x'], [name, 1, 2], [name, 'a\0b', 'c'], [name, '\ud800', 'c']]
    for (const content of strange) {
      const pageToken = Buffer.from(JSON.stringify(content)).toString('base64url')
      const refused = { message: `pageToken is not valid: "${pageToken}"` }
      await t.rejects(listFlags({ ...query, pageToken }), refused)
    }
  })
})

t.test('names that begin with the last character there is are on a page', async (t) => {
  const { createFlag, listFlags } = await openResources(t)
  await createFlag({ key: 'last', name: '\u{10ffff}'.repeat(255) })
  await createFlag({ key: 'first', name: 'A' })
  t.strictSame(keysOf(await listFlags({ sort: '-name' })), ['last', 'first'])
  const { nextPageToken: pageToken } = await listFlags({ sort: '-name', limit: 1 })
  t.strictSame(keysOf(await listFlags({ sort: '-name', limit: 1, pageToken })), ['first'])
})
