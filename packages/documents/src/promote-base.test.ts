import t from 'tap'
import { findBases, type PromotionReader } from './promote-base.ts'
import { toDocument } from './reading.ts'

const flag = toDocument('flag', { key: 'f', name: 'now', type: 'BOOLEAN_FLAG_TYPE' })
const promotion = { revision: 7, details: { from: 'staging:3' }, items: [], itemCount: 1 }

/** The flag was promoted once, and has not changed in the source since. Every call fails first. */
function readerThatFails(status: number) {
  const failed = new Set<string>()
  const answer = async <T>(name: string, value: T): Promise<T> => {
    if (failed.has(name)) return value
    failed.add(name)
    throw Object.assign(new Error(`${name} failed`), { status })
  }
  const reader: PromotionReader = {
    changes: {
      list: ({ namespaceKey }) => {
        const changes = namespaceKey === 'prod' ? [promotion] : []
        return answer(`list of ${namespaceKey}`, { changes, nextPageToken: '' })
      },
      get: () => answer('get', { items: [], nextPageToken: '' }),
    },
    documents: { getNamespace: () => answer('getNamespace', {}) },
  }
  return { reader, failed }
}

const question = {
  sourceKey: 'staging',
  targetKey: 'prod',
  source: { flags: [flag], segments: [] },
  objects: [{ kind: 'flag', key: 'f' }],
} as const

t.test('a read that the service is not available for is repeated', async (t) => {
  for (const status of [503, 504]) {
    const { reader, failed } = readerThatFails(status)
    t.strictSame(await findBases(reader, question), { flags: [flag], segments: [] })
    t.strictSame([...failed], ['list of prod', 'getNamespace', 'list of staging'])
  }
})

t.test('any other error is the answer', async (t) => {
  const { reader, failed } = readerThatFails(403)
  await t.rejects(findBases(reader, question), { message: 'list of prod failed' })
  t.equal(failed.size, 1)
})
