import { Method } from '@svc/proto/auth/v1/authentications'
import { z } from 'zod'
import { origin } from './kinds/network.ts'
import { bool, duration, listOf, optional, text } from './kinds/values.ts'
import type { Requirement } from './requirements.ts'
import type { Settings, SettingsOf } from './schema.ts'

const exempt = (path: string, warning = '') =>
  bool(false).describe(`Whether ${path} is exempt from authentication.required${warning}.`)

const domain = text('a domain, without scheme and port', (value) =>
  /^[a-z0-9.-]{1,253}$/i.test(value),
)

/** Gateways report uses once a minute. */
const idleTimeout = duration().refine((ms) => ms >= 300_000, { error: 'must be at least 5m' })

/** All of the section but `methods`: each method declares its own settings. */
export const authenticationShape = {
  required: bool(true).describe('Whether requests need a credential.'),
  exclude: z.strictObject({
    management: exempt('/api/v1', '; mind who can reach it'),
    evaluation: exempt('/evaluate/v1, but for /explain,'),
    ofrep: exempt('/ofrep/v1'),
    metadata: exempt('/meta/info'),
  }),
  session: z.strictObject({
    domain: optional(domain, 'example.com').describe(
      'The Domain of the cookies; without one they go to this host only.',
    ),
    insecure: bool(false).describe('Whether cookies go over plain http too; for one machine only.'),
    tokenLifetime: duration().prefault('24h').describe('Maximum lifetime of a session.'),
    idleTimeout: optional(idleTimeout, '2h').describe(
      'A session without a request for this long ends, 5m or more; never if left out.',
    ),
    stateLifetime: duration(3_600_000)
      .prefault('10m')
      .describe('How long a login at an identity provider may take.'),
    csrf: z.strictObject({
      trustedOrigins: listOf(origin()).describe(
        'Other origins whose pages may change things with the cookie.',
      ),
    }),
  }),
} as const

/** Members of the enum that no setting switches on. The interface has them all the same. */
const unused = [Method.METHOD_NONE, Method.METHOD_CLOUD] as const

type Used = Exclude<Method, (typeof unused)[number]>

/** The name of an auth method in the settings: `codehost` for `METHOD_CODEHOST`. */
export type MethodId = `${Used}` extends `METHOD_${infer Name}` ? Lowercase<Name> : never

/** What every service reads of a method. */
export interface MethodSwitch {
  readonly enabled: boolean
}

/** The settings of one auth method, as its folder in the auth service declares them. */
export interface MethodSection<T> {
  readonly schema: z.ZodObject
  /** Whether another service reads the rest of the section. */
  readonly isOpen?: boolean
  /** Of a method that is off, mostly nothing: it may be half written. */
  requirements(settings: T, all: Settings): readonly Requirement[]
}

export function methodSection<T extends z.ZodObject<{ enabled: ReturnType<typeof methodSwitch> }>>(
  schema: T,
  requirements: (settings: SettingsOf<T>, all: Settings) => readonly Requirement[],
): MethodSection<SettingsOf<T>> {
  return { schema, requirements }
}

/** The switch that every method has; all services read it. */
export function methodSwitch(id: MethodId) {
  return bool(id === 'token')
}

/** Whether each method is enabled and nothing else: the other services leave the rest to auth. */
export const methodSwitches = Object.fromEntries(
  Object.values(Method)
    .filter((method): method is Used => !unused.some((one) => one === method))
    .map((method) => method.slice('METHOD_'.length).toLowerCase() as MethodId)
    .map((id) => {
      const schema = z.strictObject({ enabled: methodSwitch(id) })
      return [id, { schema, isOpen: true, requirements: () => [] }]
    }),
) as unknown as Readonly<Record<MethodId, MethodSection<MethodSwitch>>>
