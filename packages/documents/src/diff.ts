import type { FieldChange } from '@svc/proto/resource/v1/documents'
import { elementsOf, memberJson, toFloat } from './canonical.ts'
import { findMoved, matchElements } from './matching.ts'
import { join } from './paths.ts'
import { isObject } from './reading.ts'
import { type DocumentOf, type Kind, type Member, type Shape, shapeOf } from './shapes.ts'

/**
 * What differs between two documents, in the order of their members; nothing when their canonical texts
 * are equal. Paths are such as `rules[0].distributions[1].rollout` and `metadata.owner`.
 *
 * Elements of lists are compared with what they were, by their ids, wherever that stood. An element that
 * is new or gone is one change, at its place after or before. One that was moved has a change of
 * `rules[0].position`, from its place before to that after, counted from 0; few are said to be moved.
 * Lists of texts, such as segments, are one value. Before a document that comes without ids is compared
 * with a stored one, give it ids with `adoptIds`.
 *
 * @param before nothing when it did not exist: then the changes are what is not zero
 * @param after nothing when it does not exist any more
 */
export function diffDocuments<K extends Kind>(
  kind: K,
  before: DocumentOf[K] | undefined,
  after: DocumentOf[K] | undefined,
): FieldChange[] {
  return diffMessages(shapeOf[kind], before, after, '')
}

function diffMessages(
  { entries }: Shape,
  before: object | undefined,
  after: object | undefined,
  path: string,
): FieldChange[] {
  return entries.flatMap(([name, member]) =>
    diffMembers(
      member,
      before && Reflect.get(before, name),
      after && Reflect.get(after, name),
      join(path, name),
    ),
  )
}

/** @param before `undefined` when it, or what it is a member of, is not there */
function diffMembers(member: Member, before: unknown, after: unknown, path: string): FieldChange[] {
  switch (member.type) {
    case 'list':
      return diffLists(member.shape, elementsOf(before), elementsOf(after), path)
    case 'message':
      if (isObject(before) && isObject(after)) {
        return diffMessages(member.shape, before, after, path)
      }
      return diffJson(memberJson(member, before), memberJson(member, after), path)
    case 'json':
      return diffJson(memberJson(member, before), memberJson(member, after), path)
    case 'float':
      return diffScalars(
        member,
        before && toFloat(Number(before)),
        after && toFloat(Number(after)),
        path,
      )
    case 'text':
    case 'boolean':
    case 'enum':
    case 'texts':
      return diffScalars(member, before, after, path)
  }
}

function diffScalars(member: Member, before: unknown, after: unknown, path: string): FieldChange[] {
  const wasZero = before === undefined && memberJson(member, after) === undefined
  const isZero = after === undefined && memberJson(member, before) === undefined
  return wasZero || isZero ? [] : diffTexts(before, after, path)
}

function diffTexts(before: unknown, after: unknown, path: string): FieldChange[] {
  const texts = [JSON.stringify(before), JSON.stringify(after)] as const
  return texts[0] === texts[1] ? [] : [{ path, before: texts[0], after: texts[1] }]
}

function diffLists(
  shape: Shape,
  before: readonly object[],
  after: readonly object[],
  path: string,
): FieldChange[] {
  const matches = matchElements(shape, before, after)
  const moved = findMoved(matches)
  const kept = new Set(matches)
  const jsonOf = (element: object) => memberJson({ type: 'message', shape }, element)
  const gone = [...before.entries()]
    .filter(([index]) => !kept.has(index))
    .flatMap(([index, element]) => diffTexts(jsonOf(element), undefined, `${path}[${index}]`))
  const rest = after.flatMap((element, index) => {
    const place = `${path}[${index}]`
    const match = matches[index]
    const was = match === undefined ? undefined : before[match]
    if (was === undefined) return diffTexts(undefined, jsonOf(element), place)
    const moves = moved.has(index) ? diffTexts(match, index, `${place}.position`) : []
    return [...moves, ...diffMessages(shape, was, element, place)]
  })
  return [...gone, ...rest]
}

/** Values of metadata: members of objects each for itself, lists as a whole. */
function diffJson(before: unknown, after: unknown, path: string): FieldChange[] {
  const whole = diffTexts(before, after, path)
  if (whole.length === 0 || !isObject(before) || !isObject(after)) return whole
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const parts = [...names].flatMap((name) =>
    diffJson(own(before, name), own(after, name), join(path, name)),
  )
  // Without a difference in any member it is their order.
  return parts.length === 0 ? whole : parts
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
