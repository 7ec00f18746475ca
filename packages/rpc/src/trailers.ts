import type { Metadata } from '@grpc/grpc-js'

/**
 * Suffix of binary metadata. Values of one name are joined by commas; these are in base64, which has
 * none.
 */
const suffix = '-bin'

export function addTrailer(metadata: Metadata, name: string, value: string): void {
  metadata.add(`${name}${suffix}`, Buffer.from(value))
}

export function readTrailers(metadata: Metadata, name: string): readonly string[] {
  return metadata.get(`${name}${suffix}`).map((value) => value.toString())
}
