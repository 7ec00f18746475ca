import type { Requirement } from '@svc/config'
import { bool, optional, path } from '@svc/config/kinds'

const allowInsecure = bool(false).describe(
  'Whether http is accepted on this machine; for trying things out only.',
)

/** How this service calls an identity provider: the same settings for each method. */
export const outboundSettings = {
  caFile: optional(path(), '/run/secrets/ca.pem').describe(
    'A file with the certificates, in PEM, to trust instead of the usual ones.',
  ),
  allowPrivateNetwork: bool(false).describe(
    'Whether its addresses may be private ones, as those inside a cluster are.',
  ),
  allowInsecure,
} as const

/** No setting lets http leave this machine. */
export function encrypted(
  key: string,
  url: string | undefined,
  allowInsecure: boolean,
): Requirement {
  const isPlain = url?.startsWith('http://') ?? false
  const isLocal = url !== undefined && isLoopback(new URL(url).hostname)
  return {
    key,
    isMet: !isPlain || (allowInsecure && isLocal),
    wrong: 'is http, which is accepted on this machine only, and with allow_insecure',
    remedy: 'Use https',
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
