import { type Database, formatInstant } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { ChangeList, ListChangesRequest } from '@svc/proto/resource/v1/changes'
import { alternatives, invalidField } from '@svc/runtime'
import { kindOf } from '../documents/kinds.ts'
import { nameOf } from '../records/list-query.ts'
import { orderByNumbers } from '../records/order.ts'
import { readToken, type TokenScope, toToken } from '../records/page-token.ts'
import { checkWhole } from '../records/requests.ts'
import { toChange } from './answers.ts'
import { type ChangeFilter, type ChangePage, readChanges } from './changes.store.ts'
import { readItems } from './items.ts'
import { checkKnown } from './missing.ts'

/** Maximum items of each change of a list; more are for those who ask for the change. */
const maxItems = 20

const defaultLimit = 50

const sources: ReadonlySet<string> = new Set(fieldRules.ListChangesRequest.source.values)

/**
 * All statements read the log as it is at one moment.
 *
 * @param request that was checked
 */
export async function listChanges(db: Database, request: ListChangesRequest): Promise<ChangeList> {
  const { namespaceKey, documents } = request
  const page = toPage(request)
  const { scope, limit } = page
  return db.transaction(
    async (tx) => {
      // One more than asked for shows whether there is a next page.
      const found = await readChanges(tx, { ...page, limit: limit + 1 })
      if (found.length === 0) await checkKnown(tx, namespaceKey)
      const wanted = found.slice(0, limit)
      const revisions = wanted.map(({ revision }) => revision)
      const options = { namespaceKey, revisions, from: 0, limit: maxItems, documents }
      const { items, cutAt } = await readItems(tx, options)
      const cut = revisions.indexOf(cutAt ?? -1)
      // The first change is listed however large it is, with some of its items.
      const listed = cut < 0 ? wanted : wanted.slice(0, Math.max(cut, 1))
      const last = listed.at(-1)
      const hasMore = last !== undefined && listed.length < found.length
      return {
        changes: listed.map((one) => toChange(namespaceKey, one, items.get(one.revision) ?? [])),
        nextPageToken: hasMore ? toToken(scope, [last.revision]) : '',
      }
    },
    { readOnly: true },
  )
}

function toPage(request: ListChangesRequest): ChangePage & { readonly scope: TokenScope } {
  const { namespaceKey, pageToken, after } = request
  const filter = toFilter(request)
  const isAscending = after !== undefined
  const queryName = nameOf(isAscending ? 'following' : 'newest', [
    namespaceKey,
    ...Object.values(filter),
  ])
  const scope = { queryName, order: orderByNumbers(['revision']) }
  const start = isAscending ? checkWhole('after', after) : Number.MAX_SAFE_INTEGER
  const [place = start] = pageToken === '' ? [] : readToken(pageToken, scope)
  const limit = request.limit || defaultLimit
  return { namespaceKey, filter, isAscending, place: Number(place), limit, scope }
}

function toFilter({ kind, key, actorId, source, since, until }: ListChangesRequest): ChangeFilter {
  if (key !== '' && kind === 'UNKNOWN_KIND') throw invalidField('key', 'needs a kind')
  if (source !== '' && !sources.has(source)) {
    throw invalidField('source', `must be ${alternatives(sources)}`)
  }
  return {
    kind: kindOf[kind] ?? null,
    key: key || null,
    actor: actorId || null,
    source: source || null,
    since: since === undefined ? null : formatInstant(since),
    until: until === undefined ? null : formatInstant(until),
  }
}
