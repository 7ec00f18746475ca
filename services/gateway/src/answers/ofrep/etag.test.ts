import fc from 'fast-check'
import t from 'tap'
import { etagOf as etagFor } from './evaluations.ts'

const etagOf = (
  namespaceKey: string,
  revision: number,
  context: Readonly<Record<string, string>>,
  eventsUri: string | undefined,
  { asAttachment = false, withDisabled = false, flagKeys = undefined as string[] | undefined } = {},
) => etagFor({ namespaceKey, context, flagKeys, asAttachment, withDisabled }, revision, eventsUri)

const uri = '/events?since=7'

t.test('a tag is the same for the same context in any order', async (t) => {
  const context = fc.dictionary(fc.string(), fc.string())
  fc.assert(
    fc.property(context, fc.infiniteStream(fc.nat()), (context, places) => {
      const shuffled = Object.entries(context)
        .map((entry) => [places.next().value, entry] as const)
        .sort(([a], [b]) => a - b)
        .map(([, entry]) => entry)
      const other = Object.fromEntries(shuffled)
      return etagOf('a', 7, context, uri) === etagOf('a', 7, other, uri)
    }),
  )
  t.match(etagOf('a', 7, {}, uri), /^[-_A-Za-z0-9]{43}$/)
})

t.test('whatever decides the answer makes another tag', async (t) => {
  const tags = [
    etagOf('a', 7, {}, uri),
    etagOf('b', 7, {}, uri),
    etagOf('a', 8, {}, uri),
    etagOf('a', 7, {}, `${uri}&ticket=x`),
    etagOf('a', 7, {}, undefined),
    etagOf('a', 7, {}, uri, { asAttachment: true }),
    etagOf('a', 7, {}, uri, { withDisabled: true }),
    etagOf('a', 7, { k: '' }, uri),
    etagOf('a', 7, { k: 'v' }, uri),
    etagOf('a', 7, { kv: '' }, uri),
    etagOf('a', 7, { k: 'v', l: 'w' }, uri),
    etagOf('a', 7, { k: 'v,l:w' }, uri),
    etagOf('a', 7, { flags: '7' }, uri),
    etagOf('a', 7, { flags: '7' }, uri, { withDisabled: true }),
    etagOf('a', 7, { flags: '7' }, uri, { flagKeys: ['7'] }),
    etagOf('a', 7, { flags: '7' }, uri, { flagKeys: ['7'], withDisabled: true }),
  ]
  t.equal(new Set(tags).size, tags.length)
})
