import fc from 'fast-check'
import { elementsOf } from './canonical.ts'
import { type DocumentOf, type Kind, type Shape, shapeOf } from './shapes.ts'
import { documents } from './testing.ts'

/** Gives numbers from 0 to below `limit`. */
type Choose = (limit: number) => number

/**
 * A document and what an edit made of it: members changed, elements of lists moved, changed, removed
 * and added, some of them with the id of before, some without.
 */
export function edits<K extends Kind>(kind: K): fc.Arbitrary<[DocumentOf[K], DocumentOf[K]]> {
  const choices = fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 })
  return fc.tuple(documents(kind), documents(kind), choices).map(([before, other, choices]) => {
    let at = 0
    const choose = (limit: number) => (choices[at++ % choices.length] ?? 0) % limit
    return [before, mix(shapeOf[kind], before, other, choose) as DocumentOf[K]]
  })
}

/** A message with some members of another one. */
function mix({ entries }: Shape, one: object, other: object, choose: Choose): object {
  const mixed = entries.map(([name, member]) => {
    const [mine, theirs] = [Reflect.get(one, name), Reflect.get(other, name)]
    if (member.type === 'list') return [name, mixLists(member.shape, mine, theirs, choose)]
    // One of two that exclude each other never comes without the other.
    const isKept = name === 'id' || member.type === 'message' || choose(2) === 0
    return [name, isKept ? mine : theirs]
  })
  return Object.fromEntries(mixed)
}

function mixLists(shape: Shape, mine: unknown, theirs: unknown, choose: Choose): object[] {
  const others = elementsOf(theirs)
  const edited = elementsOf(mine).flatMap((element, index) => {
    const other = others[index] ?? element
    const choice = choose(6)
    if (choice === 0) return []
    if (choice === 1) return [{ ...element, id: '' }]
    if (choice === 2) return [{ ...mix(shape, element, other, choose), id: '' }]
    return choice === 3 ? [mix(shape, element, other, choose)] : [element]
  })
  for (const element of others) {
    if (choose(4) === 0) edited.splice(choose(edited.length + 1), 0, element)
  }
  const from = choose(edited.length + 1)
  return choose(3) === 0 ? edited.toSpliced(0, 0, ...edited.splice(from)) : edited
}
