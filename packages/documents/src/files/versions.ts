import type { NodeReader, Place } from './node-reader.ts'

/** Versions of the format, the latest last. */
const versions = ['1.0', '1.1', '1.2', '1.3', '1.4'] as const

/** One of {@link versions}: they compare as texts. */
export type Version = (typeof versions)[number]

export const latestVersion: Version = '1.4'

/** The version of a file, from its first document; the latest unless it says one. */
export function readVersion(reader: NodeReader, place: Place | undefined): Version {
  const text = reader.text(place)
  const version = versions.find((one) => one === text)
  if (place === undefined || text === '' || version !== undefined) return version ?? latestVersion
  reader.problem(place, `unsupported version: ${text}: use ${versions.join(', ')}`)
  return latestVersion
}

/** Reports a member that the version of the file does not have. @param name in the contract's words */
export function checkVersion(
  reader: NodeReader,
  place: Place | undefined,
  found: Version,
  needed: Version,
  name: string,
): void {
  if (place === undefined || found >= needed) return
  reader.problem(place, `${name} is supported in version >=${needed}, found ${found}`)
}
