import type { Segment } from '@svc/proto/resource/v1/segments'
import { recordTextOf } from '../../replica/namespace-state.ts'
import { type Form, lineBreak, type Pieces } from '../copies/form.ts'

/** The lists of `Records` in their order: what flags refer to comes before them. */
const listNames = ['deletedSegmentKeys', 'segments', 'deletedFlagKeys', 'flags'] as const

/** The items of each list as texts, made while they are sent; one that is left out is empty. */
type Lists = { readonly [Name in (typeof listNames)[number]]?: () => Iterable<string> }

/** What clients evaluate by themselves with the engine of the gateway: `Records`. */
export const recordsForm: Form = {
  name: 'records',
  wholeEvent: 'whole',
  varyOn: [],
  etagOf: (_namespaceKey, revision) => `"${revision}"`,
  emptyOf: (_namespaceKey, revision) => [...toPieces(revision, 0, {})()].join(''),
  wholeOf({ revision, flags, segments }) {
    const segmentText = segmentWriter()
    // What came first differs from gateway to gateway.
    const inOrder = [...segments.keys()].sort().flatMap((key) => segments.get(key) ?? [])
    return toPieces(revision, 0, {
      segments: () => mapped(inOrder, segmentText),
      flags: () => mapped(flags, recordTextOf),
    })
  },
  changesSince: (state, revision) => state.changesSince(revision),
  changeOf({ fromRevision, flagKeys, segmentKeys, view }) {
    const { revision, flags, segments } = view
    const thereFlags = new Set(flags.map(({ key }) => key))
    const segmentText = segmentWriter()
    const changed = [...segmentKeys].flatMap((key) => segments.get(key) ?? [])
    return toPieces(revision, fromRevision, {
      deletedSegmentKeys: () => quotedUnless(segments, segmentKeys),
      segments: () => mapped(changed, segmentText),
      deletedFlagKeys: () => quotedUnless(thereFlags, flagKeys),
      flags: () => mapped(flags, recordTextOf),
    })
  },
}

/** Each item of each list is a line, so that a client can read a large text a line at a time. */
function toPieces(revision: number, fromRevision: number, lists: Lists): Pieces {
  return function* () {
    let before = `{"revision":${revision},"fromRevision":${fromRevision},`
    for (const name of listNames) {
      yield `${before}"${name}":[`
      before = '],'
      let separator = ''
      for (const item of lists[name]?.() ?? []) {
        yield separator
        yield lineBreak
        yield item
        separator = ','
      }
      yield lineBreak
    }
    yield ']}'
  }
}

/** Writes each segment once, however often the text is sent. */
function segmentWriter(): (segment: Segment) => string {
  const texts = new Map<Segment, string>()
  return (segment) => {
    const text = texts.get(segment) ?? textOf(segment)
    texts.set(segment, text)
    return text
  }
}

function textOf({ key, matchType, constraints }: Segment): string {
  const json = JSON.stringify({
    key,
    matchType,
    constraints: constraints.map(({ type, property, operator, value }) => ({
      type,
      property,
      operator,
      value,
    })),
  })
  return Buffer.from(json).toString('latin1')
}

function* mapped<Item>(
  items: Iterable<Item>,
  toText: (item: Item) => string,
): Generator<string, void> {
  for (const item of items) yield toText(item)
}

function* quotedUnless(
  there: { has(key: string): boolean },
  keys: Iterable<string>,
): Generator<string, void> {
  for (const key of keys) if (!there.has(key)) yield JSON.stringify(key)
}
