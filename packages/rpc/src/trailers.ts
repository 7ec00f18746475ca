import type { Metadata } from '@grpc/grpc-js'

/**
 * Values of one name arrive as one text, separated by commas, and may have commas themselves. Those
 * of names that end like this travel in base64, which has none, and are told apart again.
 */
const suffix = '-bin'

export function addTrailer(metadata: Metadata, name: string, value: string): void {
  metadata.add(`${name}${suffix}`, Buffer.from(value))
}

export function readTrailers(metadata: Metadata, name: string): readonly string[] {
  return metadata.get(`${name}${suffix}`).map((value) => value.toString())
}
