import t from 'tap'
import { readFiles } from './read.ts'
import { type NamespaceReader, readNamespace } from './read-namespace.ts'

const text = `
flags:
- {key: a, name: A}
- {key: b, name: B}
segments:
- {key: eu, name: EU, match_type: ALL_MATCH_TYPE}
`
const [{ flags = [], segments = [] } = {}] = readFiles([{ name: 'a.yml', text }]).namespaces
const settings = { name: 'Shop', description: '', color: '', confirm: false }

/** A page for each object. */
function pages(asked: object[]): NamespaceReader {
  const all = [
    ...flags.map((flag) => ({ flags: [flag], segments: [] })),
    ...segments.map((segment) => ({ flags: [], segments: [segment] })),
  ]
  return {
    documents: {
      async getNamespace(request) {
        asked.push(request)
        const place = Number(request.pageToken)
        const page = all[place] ?? { flags: [], segments: [] }
        const nextPageToken = place + 1 < all.length ? String(place + 1) : ''
        return { revision: 7, settings, ...page, nextPageToken }
      },
    },
  }
}

t.test('a namespace is read page by page', async (t) => {
  const asked: object[] = []
  const counts: number[] = []
  const stored = await readNamespace(pages(asked), 'shop', {
    revision: 7,
    onProgress: (count) => counts.push(count),
  })
  t.strictSame(stored, { namespaceKey: 'shop', revision: 7, settings, flags, segments })
  t.strictSame(counts, [1, 2, 3])
  t.strictSame(
    asked,
    ['', '1', '2'].map((pageToken) => ({
      ...{ namespaceKey: 'shop', revision: 7, limit: 1000, pageToken },
    })),
  )
})
