import type { Secret } from '@svc/runtime'
import { z } from 'zod'
import {
  authenticationShape,
  type MethodId,
  type MethodSection,
  type MethodSwitch,
  methodSwitches,
} from './authentication.ts'
import type { Requirement } from './requirements.ts'
import { corsSection, sharedRequirements, sharedSections } from './sections.ts'
import { SettingIndex } from './setting-index.ts'

const version = z
  .literal(['1.0', 1], { error: 'must be "1.0"' })
  // Without quotes, YAML reads 1.0 as the number 1.
  .transform(() => '1.0' as const)
  .meta({ input: { type: ['string', 'number'], pattern: '^1\\.0$', minimum: 1, maximum: 1 } })
  .prefault('1.0')
  .describe('The version of this format; "1.0" is the only one.')

const shape = { version, ...sharedSections, cors: corsSection } as const

type Frozen<T> = T extends Secret
  ? Secret
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

/** The values of a section. Durations are in milliseconds. */
export type SettingsOf<T extends z.ZodType> = Frozen<z.output<T>>

type Shared = SettingsOf<z.ZodObject<typeof shape>>
type Authentication = SettingsOf<z.ZodObject<typeof authenticationShape>>
type MethodSettings = { readonly [Id in MethodId]: MethodSwitch }

/** The whole configuration, with as much of the auth methods as a service reads. */
export interface Settings<M extends MethodSettings = MethodSettings> extends Shared {
  readonly authentication: Authentication & { readonly methods: M }
}

/** Every section that a process reads, joined. */
export interface SettingsSchema<S extends Settings = Settings> {
  readonly type: z.ZodType<S>
  readonly index: SettingIndex
  readonly requirements: (settings: S) => readonly Requirement[]
}

/** What a process has loaded that reads this schema. */
export type SettingsIn<T> = T extends SettingsSchema<infer S> ? S : never

/**
 * In the file a key is written in snake_case, in the environment as its path in capitals. Documents
 * show `description` and, of a setting without a fixed default, `example`.
 */
export function joinSections<M extends MethodSettings>(
  methods: {
    readonly [Id in keyof M]: MethodSection<M[Id]>
  },
): SettingsSchema<Settings<M>> {
  const ids = Object.keys(methods) as (keyof M & string)[]
  const schema = z.strictObject({
    version,
    ...sharedSections,
    authentication: z.strictObject({
      ...authenticationShape,
      methods: z.strictObject(Object.fromEntries(ids.map((id) => [id, methods[id].schema]))),
    }),
    cors: corsSection,
  })
  return {
    // `fromEntries` loses which schema has which name.
    type: schema as unknown as z.ZodType<Settings<M>>,
    index: new SettingIndex(
      schema,
      ids.filter((id) => methods[id].isOpen).map((id) => `authentication.methods.${id}`),
    ),
    requirements: (settings) => [
      ...ids.flatMap((id) =>
        methods[id].requirements(settings.authentication.methods[id], settings),
      ),
      ...sharedRequirements(settings),
    ],
  }
}

/** What the services read that leave the auth methods to the auth service. */
export const sharedSettings: SettingsSchema = joinSections(methodSwitches)
