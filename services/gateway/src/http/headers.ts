/** Every answer of the API: for no frame, no script, no cache. Pages have a policy of their own. */
export const apiHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

/** A year, which browsers require of a site that is https only, in seconds. */
const strictTransport = { 'strict-transport-security': 'max-age=31536000' } as const

/** @param publicUrl where browsers reach this service, when that is known */
export function answerHeaders(publicUrl: string | undefined): Readonly<Record<string, string>> {
  return publicUrl?.startsWith('https:') ? { ...apiHeaders, ...strictTransport } : apiHeaders
}
