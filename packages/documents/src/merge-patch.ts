import { toJson } from './canonical.ts'
import { DocumentError } from './document-error.ts'
import { join } from './paths.ts'
import { isObject, maxDepth, toDocument } from './reading.ts'
import { type DocumentOf, type Kind, shapeOf } from './shapes.ts'

/**
 * A document with a JSON merge patch applied (RFC 7396): members of the patch replace those of the
 * document, `null` takes a member away, and so gives it its zero value; objects are merged, lists
 * replaced as a whole. The time it takes grows with the sizes of both.
 *
 * @throws {DocumentError} that names what is wrong: the patch is no object, it is nested deeper than 64
 *   levels, or the result is not a document of the kind
 */
export function patchDocument<K extends Kind>(
  kind: K,
  document: DocumentOf[K],
  patch: unknown,
): DocumentOf[K] {
  if (!isObject(patch)) throw new DocumentError('', 'takes a patch that is an object')
  return toDocument(kind, merge(toJson(shapeOf[kind], document), patch, '', maxDepth))
}

function merge(target: unknown, patch: unknown, path: string, depth: number): unknown {
  if (!isObject(patch)) return patch
  if (depth === 0) {
    throw new DocumentError(path, `must not be nested deeper than ${maxDepth} levels`)
  }
  // A map, for a member may be called `__proto__`.
  const members = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name)
    else members.set(name, merge(members.get(name), value, join(path, name), depth - 1))
  }
  return Object.fromEntries(members)
}
