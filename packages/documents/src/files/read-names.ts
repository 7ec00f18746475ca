import type { NodeReader, Place } from './node-reader.ts'

/** Of keys and names, in characters, as the service has it. */
const maxLength = 255

/** The key of a flag, a segment or a namespace. @param owner what has no key when it is left out */
export function readKey(reader: NodeReader, place: Place | undefined, owner: Place): string {
  const key = readName(reader, place, owner, 'key')
  if (key !== '' && !/^[-_,A-Za-z0-9]+$/.test(key)) {
    reader.problem(place ?? owner, `is "${key}": a key has letters, digits, "-", "_" and "," only`)
  }
  return key
}

/** A text that must not be empty. @param member its name, for what is left out */
export function readName(
  reader: NodeReader,
  place: Place | undefined,
  owner: Place,
  member = 'name',
): string {
  const text = reader.text(place)
  if (text === '') reader.problem(place ?? owner, `needs "${member}", a text that is not empty`)
  if (text.length > maxLength && [...text].length > maxLength) {
    reader.problem(place ?? owner, `must have ${maxLength} characters at most`)
  }
  return text
}
