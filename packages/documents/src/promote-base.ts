import type { Content, PromotedKind } from './promote.ts'
import { readDocument } from './reading.ts'
import { outageMs, retried } from './retry.ts'
import type { DocumentOf } from './shapes.ts'

type ObjectKind = 'FLAG_KIND' | 'SEGMENT_KIND'

interface LoggedItem {
  readonly kind: string
  readonly key: string
  readonly before?: string | undefined
}

interface LoggedChange {
  readonly revision: number
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly items: readonly LoggedItem[]
  readonly itemCount: number
}

/** What is read to find common ancestors: as the management API of `@svc/client/api` has it. */
export interface PromotionReader {
  readonly changes: {
    list(request: {
      readonly namespaceKey: string
      readonly kind: ObjectKind
      readonly key: string
      readonly after?: number
      readonly documents?: boolean
      readonly limit: number
      readonly pageToken: string
    }): Promise<{ readonly changes: readonly LoggedChange[]; readonly nextPageToken: string }>
    get(request: {
      readonly namespaceKey: string
      readonly revision: string
      readonly limit: number
      readonly pageToken: string
    }): Promise<{ readonly items: readonly LoggedItem[]; readonly nextPageToken: string }>
  }
  readonly documents: {
    getNamespace(request: {
      readonly namespaceKey: string
      readonly revision: number
      readonly limit: number
    }): Promise<object>
  }
}

export interface BaseQuestion {
  readonly sourceKey: string
  readonly targetKey: string
  /** Documents of the source as they are now. */
  readonly source: Content
  /** Which objects; of what the source does not have, nothing is said. */
  readonly objects: readonly { readonly kind: PromotedKind; readonly key: string }[]
}

/** Maximum requests at once. */
const maxRunning = 8

/** Changes of a first page: most objects were promoted lately. */
const limits = [20, 500] as const

const kindOf: Readonly<Record<PromotedKind, ObjectKind>> = {
  flag: 'FLAG_KIND',
  segment: 'SEGMENT_KIND',
}

/**
 * Finds the common ancestors of two namespaces: each object of the source as it was when the target last
 * got it. That is the last change of the object in the target whose `details.from` names the source, but for
 * those that were undone. Objects without one, and those from before the history, are left out. Ask only
 * about objects that differ: it takes two requests each, and more for objects that change often. One that the service is
 * not available for is repeated for up to a minute: it may restart meanwhile.
 *
 * @throws what the reader throws, but for a revision that is not kept any more (404)
 */
export async function findBases(reader: PromotionReader, question: BaseQuestion): Promise<Content> {
  const search = new BaseSearch(reader, question)
  const flags: DocumentOf['flag'][] = []
  const segments: DocumentOf['segment'][] = []
  const waiting = question.objects.values()
  const work = async () => {
    for (const { kind, key } of waiting) {
      if (kind === 'flag') flags.push(...(await search.find(kind, key, question.source.flags)))
      else segments.push(...(await search.find(kind, key, question.source.segments)))
    }
  }
  await Promise.all(Array.from({ length: maxRunning }, work))
  return { flags, segments }
}

class BaseSearch {
  readonly #reader: PromotionReader
  readonly #question: BaseQuestion
  readonly #kept = new Map<number, Promise<boolean>>()
  /** Items of large changes, which many objects share. */
  readonly #items = new Map<number, Promise<readonly LoggedItem[]>>()

  constructor(reader: PromotionReader, question: BaseQuestion) {
    this.#reader = reader
    this.#question = question
  }

  /** @returns nothing when there is no common ancestor that is known */
  async find<K extends PromotedKind>(
    kind: K,
    key: string,
    documents: readonly DocumentOf[K][],
  ): Promise<DocumentOf[K][]> {
    const current = documents.find((one) => one.key === key)
    if (current === undefined) return []
    const revision = await this.#findPromotion(kind, key)
    if (revision === undefined || !(await this.#isKept(revision))) return []
    const before = await this.#findBefore(kind, key, revision)
    if (before === undefined) return [current]
    return before.text === undefined ? [] : [readDocument(kind, before.text)]
  }

  /** The revision of the source that the target last got the object from. */
  async #findPromotion(kind: PromotedKind, key: string): Promise<number | undefined> {
    const { sourceKey, targetKey } = this.#question
    const undone = new Set<unknown>()
    let pageToken = ''
    do {
      const limit = limits[pageToken === '' ? 0 : 1]
      const request = { namespaceKey: targetKey, kind: kindOf[kind], key, limit, pageToken }
      const page = await repeated(() => this.#reader.changes.list(request))
      for (const { revision, details = {} } of page.changes) {
        if (undone.has(revision)) continue
        undone.add(details.undoes)
        const from = readOrigin(details.from, sourceKey)
        if (from !== undefined) return from
      }
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    return undefined
  }

  /** Whether the history of the source reaches back to a revision. */
  #isKept(revision: number): Promise<boolean> {
    return remember(this.#kept, revision, async () => {
      const request = { namespaceKey: this.#question.sourceKey, revision, limit: 1 }
      try {
        await repeated(() => this.#reader.documents.getNamespace(request))
        return true
      } catch (error) {
        if (error instanceof Error && Reflect.get(error, 'status') === 404) return false
        throw error
      }
    })
  }

  /**
   * The object of the source as its first change after a revision found it.
   *
   * @returns nothing when it has not changed since; without a text: it did not exist
   */
  async #findBefore(
    kind: PromotedKind,
    key: string,
    after: number,
  ): Promise<{ readonly text: string | undefined } | undefined> {
    const { sourceKey: namespaceKey } = this.#question
    const request = { namespaceKey, kind: kindOf[kind], key, after, limit: 1, pageToken: '' }
    const list = () => this.#reader.changes.list({ ...request, documents: true })
    const [change] = (await repeated(list)).changes
    if (change === undefined) return undefined
    const isWanted = (item: LoggedItem) => item.kind === kindOf[kind] && item.key === key
    const listed = change.items.find(isWanted)
    const item = listed ?? (await this.#readItems(change.revision)).find(isWanted)
    return { text: item?.before }
  }

  #readItems(revision: number): Promise<readonly LoggedItem[]> {
    return remember(this.#items, revision, async () => {
      const { sourceKey: namespaceKey } = this.#question
      const items: LoggedItem[] = []
      let pageToken = ''
      do {
        const request = { namespaceKey, revision: String(revision), limit: 500, pageToken }
        const page = await repeated(() => this.#reader.changes.get(request))
        items.push(...page.items)
        pageToken = page.nextPageToken
      } while (pageToken !== '')
      return items
    })
  }
}

const repeated = <T>(read: () => Promise<T>) => retried({ timeoutMs: outageMs }, read)

/** @returns the revision of `<namespace>:<revision>` when it is of that namespace */
function readOrigin(from: unknown, namespaceKey: string): number | undefined {
  if (typeof from !== 'string' || !from.startsWith(`${namespaceKey}:`)) return undefined
  const digits = from.slice(namespaceKey.length + 1)
  return /^\d{1,16}$/.test(digits) ? Number(digits) : undefined
}

function remember<T>(
  map: Map<number, Promise<T>>,
  key: number,
  read: () => Promise<T>,
): Promise<T> {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = read()
  map.set(key, value)
  return value
}
