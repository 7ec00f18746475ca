/**
 * What every answer of the API carries: it is data, to be shown in no frame, run by no page and
 * kept in no cache. Pages of our own set a policy of theirs.
 */
export const apiHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const
