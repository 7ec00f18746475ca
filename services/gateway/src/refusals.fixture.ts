import { readFileSync } from 'node:fs'

/** Values of `X-Svc-Min-Revision` that are refused, and bodies by the message of their refusal. */
export const refusals: {
  readonly minRevisions: readonly string[]
  readonly bodies: Readonly<Record<string, readonly string[]>>
} = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/gateway-refusals.json', import.meta.url), 'utf8'),
)
