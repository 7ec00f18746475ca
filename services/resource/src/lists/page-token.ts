import { invalidArgument } from '@svc/runtime'

/** Where a page ended: the numbers that order the list, of its last record. */
export type Place = readonly number[]

export function toToken(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** @throws {AppError} unless {@link toToken} made it for a list of this kind */
export function readToken(token: string, length: number): Place {
  const place = parsePlace(Buffer.from(token, 'base64url').toString())
  if (place?.length === length && toToken(place) === token) return place
  // The answer quotes the token, which may be as long as a request.
  const quoted = token.length > 255 ? `${token.slice(0, 255)}…` : token
  throw invalidArgument(`pageToken is not valid: "${quoted}"`)
}

function parsePlace(text: string): number[] | undefined {
  try {
    const place: unknown = JSON.parse(text)
    return Array.isArray(place) && place.every(isPlace) ? place : undefined
  } catch {
    return undefined
  }
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value)
