import { randomUUID } from 'node:crypto'
import { adoptIds, type DocumentOf, type Kind } from '@svc/documents'
import type { RuleDocument } from '@svc/proto/resource/v1/documents'

/**
 * The document with an id for everything in it. What is stored keeps its ids. An object that is not there
 * takes those of the document, as when it was deleted and is brought back.
 *
 * @param current what is stored, if anything
 * @param isRestored the ids of the document are those that its parts had, wherever they are now
 */
export function withIds<K extends Kind>(
  kind: K,
  current: DocumentOf[K] | undefined,
  document: DocumentOf[K],
  isRestored: boolean,
): DocumentOf[K] {
  const own = current === undefined || isRestored ? document : adoptIds(kind, current, document)
  return fillIn[kind](own)
}

const fillIn: { readonly [K in Kind]: (document: DocumentOf[K]) => DocumentOf[K] } = {
  flag: (flag) => ({
    ...flag,
    variants: identified(flag.variants),
    rules: identified(flag.rules).map(withDistributions),
    rollouts: identified(flag.rollouts),
  }),
  segment: (segment) => ({ ...segment, constraints: identified(segment.constraints) }),
  namespace: (settings) => settings,
}

function withDistributions(rule: RuleDocument): RuleDocument {
  return { ...rule, distributions: identified(rule.distributions) }
}

/** As this service makes them. */
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** An id that is malformed, or comes twice in the list, is replaced. */
function identified<T extends { readonly id: string }>(list: readonly T[]): T[] {
  const ids = new Set<string>()
  return list.map((element) => {
    const id = uuid.test(element.id) && !ids.has(element.id) ? element.id : randomUUID()
    ids.add(id)
    return { ...element, id }
  })
}
