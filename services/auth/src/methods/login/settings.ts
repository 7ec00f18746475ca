import { present, type Requirement, type Settings } from '@svc/config'
import { line, optional, outboundUrl, secretText } from '@svc/config/kinds'

/** Longer than any secret in use, and well within the 16 KiB that Node.js allows headers. */
const longestSecret = 4096

/** How this service is registered as a client of an identity provider. */
export const registrationSettings = {
  clientId: optional(line('the id of this service there'), 'flags').describe(
    'The id under which this service is registered there.',
  ),
  clientSecret: secretText(1, longestSecret, 'CLIENT_SECRET').describe(
    'The secret that belongs to that id.',
  ),
  redirectAddress: optional(outboundUrl(), 'https://flags.example.com').describe(
    'The URL at which browsers reach this service; by default server.public_url.',
  ),
} as const

interface Registration {
  readonly clientId?: unknown
  readonly clientSecret?: unknown
  readonly redirectAddress?: unknown
}

/** Where the identity provider sends browsers back to. */
export function redirectUri(
  { redirectAddress }: { readonly redirectAddress?: string | undefined },
  { server }: Pick<Settings, 'server'>,
  path: string,
): string {
  return (redirectAddress ?? server.publicUrl ?? '').replace(/\/$/, '') + path
}

/** @param key of the section that has the settings */
export function registrationRequirements(
  key: string,
  { clientId, clientSecret, redirectAddress }: Registration,
  { server }: Pick<Settings, 'server'>,
): Requirement[] {
  return [
    present(`${key}.client_id`, clientId),
    present(`${key}.client_secret`, clientSecret),
    {
      key: `${key}.redirect_address`,
      isMet: server.publicUrl !== undefined || redirectAddress !== undefined,
      wrong: 'is missing, and so is server.public_url: browsers could not come back',
      remedy: 'Set one of them',
    },
  ]
}
