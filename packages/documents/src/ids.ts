import { elementsOf } from './canonical.ts'
import { idOf, matchElements } from './matching.ts'
import { type DocumentOf, type Kind, type Shape, shapeOf } from './shapes.ts'

/**
 * A document with the ids that the stored one has: what is in it takes the id of what it is the same as,
 * and what is new has none. So clients keep the ids that they hold when a document comes without ids or
 * with those of another namespace, and applying it again changes nothing.
 *
 * To bring back what was deleted, with its ids, use the document as it is.
 *
 * @param current what is stored
 */
export function adoptIds<K extends Kind>(
  kind: K,
  current: DocumentOf[K],
  document: DocumentOf[K],
): DocumentOf[K] {
  // The members of the document, some with other ids.
  return adopt(shapeOf[kind], current, document) as DocumentOf[K]
}

/** A document without the ids of what is in it: as another namespace may get it. */
export function dropIds<K extends Kind>(kind: K, document: DocumentOf[K]): DocumentOf[K] {
  // The members of the document, some with an empty id.
  return drop(shapeOf[kind], document) as DocumentOf[K]
}

function drop(shape: Shape, message: object): object {
  const result: Record<string, unknown> = { ...message }
  if ('id' in shape.members) result.id = ''
  for (const [name, member] of shape.entries) {
    if (member.type !== 'list') continue
    result[name] = elementsOf(Reflect.get(message, name)).map((one) => drop(member.shape, one))
  }
  return result
}

function adopt(shape: Shape, current: object | undefined, message: object): object {
  const result: Record<string, unknown> = { ...message }
  if ('id' in shape.members) result.id = current === undefined ? '' : idOf(current)
  for (const [name, member] of shape.entries) {
    if (member.type !== 'list') continue
    const before = elementsOf(current && Reflect.get(current, name))
    const ids = new Set(before.map(idOf))
    const after = elementsOf(Reflect.get(message, name)).map((element) =>
      ids.has(idOf(element)) ? element : { ...element, id: '' },
    )
    const matches = matchElements(member.shape, before, after)
    result[name] = after.map((element, index) =>
      adopt(member.shape, before[matches[index] ?? -1], element),
    )
  }
  return result
}
