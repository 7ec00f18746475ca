import { Method } from '@svc/proto/auth/v1/authentications'
import { z } from 'zod'
import { bool } from '../kinds/values.ts'
import type { Requirement } from '../requirements.ts'
import type { Settings, SettingsOf } from '../schema.ts'

/** Members of the enum that no setting switches on. The interface has them all the same. */
const unused = [Method.METHOD_NONE, Method.METHOD_CLOUD] as const

type Used = Exclude<Method, (typeof unused)[number]>

/** The name of an auth method in the settings: `codehost` for `METHOD_CODEHOST`. */
export type MethodId = `${Used}` extends `METHOD_${infer Name}` ? Lowercase<Name> : never

/** What every service knows of a method. */
export interface MethodSwitch {
  readonly enabled: boolean
}

export type MethodSettings = { readonly [Id in MethodId]: MethodSwitch }

/** The settings of one auth method, as its folder in the auth service declares them. */
export interface MethodSection<T> {
  readonly schema: z.ZodObject
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

const switchOf = (id: MethodId): MethodSection<MethodSwitch> => ({
  schema: z.strictObject({ enabled: methodSwitch(id) }).meta({ open: true }),
  requirements: () => [],
})

/** Whether each method is enabled and nothing else: the other services leave the rest to auth. */
export const methodSwitches = Object.fromEntries(
  Object.values(Method)
    .filter((method): method is Used => !unused.some((one) => one === method))
    .map((method) => method.slice('METHOD_'.length).toLowerCase() as MethodId)
    .map((id) => [id, switchOf(id)]),
) as Readonly<Record<MethodId, MethodSection<MethodSwitch>>>
