import type { Authentication } from '@svc/client/api'
import { exitCodes } from '../exit-codes.ts'
import { readAll } from '../pages.ts'
import { spanText, timeText } from '../words.ts'
import { type Check, failed, ok, warning } from './finding.ts'

const dayMs = 86_400_000
/** From then on the credential should be replaced. */
const soonMs = 14 * dayMs
/** A token without a use for so long is probably forgotten. */
const unusedMs = 90 * dayMs
const name = 'io.svc.auth.token.name'
const bootstrapName = 'initial_bootstrap_token'

export const credential: Check = {
  name: 'credential',
  async run({ api, namespaceKey, tokenFrom, signal }) {
    if (tokenFrom === 'nothing') {
      const isOpen = await api.namespaces.get({ key: namespaceKey }, { signal }).then(
        () => true,
        () => false,
      )
      if (isOpen) {
        return [
          warning(
            'none is given, and none is needed: every client that reaches the service may change flags',
            'Set `authentication.required` to true: docs/authentication.md.',
          ),
        ]
      }
      return [
        failed(
          'no token is given',
          '`svc login` gets one; or give SVC_TOKEN or --token-file FILE.',
          exitCodes.notAllowed,
        ),
      ]
    }
    const session = await api.sessions.get({}, { signal }).catch((error: { status?: number }) => {
      if (error.status !== 401) throw error
      return undefined
    })
    if (session === undefined) {
      return [
        failed(
          'the token is not accepted: it has expired, was deleted, or is of another service',
          '`svc login` gets a new one.',
          exitCodes.notAllowed,
        ),
      ]
    }
    const { authentication, namespaceKey: boundTo, subject } = session
    const who =
      authentication.metadata[name] ?? authentication.metadata['io.svc.auth.email'] ?? subject
    const where = boundTo === '' ? 'all namespaces' : `namespace ${boundTo}`
    const leftMs = Date.parse(authentication.expiresAt ?? '') - Date.now()
    const end = Number.isNaN(leftMs) ? 'never ends' : `ends in ${spanText(leftMs)}`
    const text = `${who || authentication.id}, for ${where}; it ${end}`
    if (authentication.method !== 'METHOD_TOKEN' || !(leftMs < soonMs)) return [ok(text)]
    return [warning(text, `\`svc tokens create\` makes another one before.`)]
  },
}

export const methods: Check = {
  name: 'logins',
  async run({ api, signal }) {
    const { methods } = await api.methods.list({}, { signal })
    const enabled = methods.filter(({ enabled }) => enabled)
    const names = enabled.map(({ method }) => method.replace('METHOD_', '').toLowerCase())
    if (enabled.length === 0) {
      return [
        warning(
          'no method is enabled',
          'Enable one below `authentication.methods`: docs/authentication.md.',
        ),
      ]
    }
    return [ok(`by ${names.join(', ')}`)]
  },
}

export const tokens: Check = {
  name: 'tokens',
  async run({ api, signal }) {
    const all = await readAll(async (pageToken) => {
      const request = { method: 'METHOD_TOKEN', limit: 100, pageToken } as const
      const page = await api.authentications.list(request, { signal })
      return { rows: page.authentications, next: page.nextPageToken }
    })
    const now = Date.now()
    const valid = all.filter(
      ({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > now,
    )
    const lastUse = ({ use, createdAt }: Authentication) => Date.parse(use?.lastAt ?? createdAt)
    const unused = valid.filter((token) => now - lastUse(token) > unusedMs)
    const endless = valid.filter(({ expiresAt }) => expiresAt === undefined)
    const bootstrap = valid.find(({ metadata }) => metadata[name] === bootstrapName)
    const findings = [
      ...(bootstrap === undefined
        ? []
        : [
            warning(
              `the token of the first start is still there, made ${timeText(bootstrap.createdAt)}`,
              `Make one of your own with \`svc tokens create\`, then \`svc tokens delete ${bootstrapName}\`.`,
            ),
          ]),
      ...(endless.length === 0
        ? []
        : [
            warning(
              `${countOf(endless)} never ${endless.length === 1 ? 'ends' : 'end'}`,
              'Make ones with --expires-in in their place, or rotate them from time to time.',
            ),
          ]),
      ...(unused.length === 0
        ? []
        : [
            warning(
              `${countOf(unused)} ${unused.length === 1 ? 'was' : 'were'} not used for 90 days`,
              '`svc tokens delete NAME` deletes one.',
            ),
          ]),
    ]
    return findings.length > 0
      ? findings
      : [ok(`${valid.length} static tokens, which all end and are in use`)]
  },
}

const shownNames = 5

/** Such as `2 tokens (ci, shop)`. */
function countOf(tokens: readonly Authentication[]): string {
  const names = tokens.slice(0, shownNames).map(({ id, metadata }) => metadata[name] ?? id)
  const more = tokens.length > shownNames ? ', …' : ''
  return `${tokens.length} ${tokens.length === 1 ? 'token' : 'tokens'} (${names.join(', ')}${more})`
}
