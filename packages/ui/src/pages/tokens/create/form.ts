import type { CreateTokenRequest } from '@svc/client/api'
import * as z from 'zod/mini'
import { expiryOf, type Preset, presets } from './expiry.ts'
import type { CreateTokenTexts } from './texts.ts'

export interface CreateTokenForm {
  readonly name: string
  readonly description: string
  readonly scope: 'one' | 'all'
  readonly namespaceKey: string
  readonly preset: Preset
  readonly date: string
  /** That it never expires. */
  readonly isSure: boolean
  readonly addresses: readonly string[]
}

const maxAddresses = 64

export function schemaFor(t: CreateTokenTexts, now: () => number) {
  const isDate = ({ preset, date }: { preset: Preset; date: string }, wrong: string) =>
    preset !== 'date' || expiryOf({ preset, date }, now()) !== wrong
  return z
    .object({
      name: z.string().check(z.trim(), z.minLength(1, t.nameMissing), z.maxLength(255, t.tooLong)),
      description: z.string().check(z.trim(), z.maxLength(4096, t.tooLong)),
      scope: z.enum(['one', 'all']),
      namespaceKey: z.string(),
      preset: z.enum(presets),
      date: z.string(),
      isSure: z.boolean(),
      addresses: z.readonly(z.array(z.string()).check(z.maxLength(maxAddresses, t.addressesMany))),
    })
    .check(
      z.refine((form) => isDate(form, 'invalid'), { path: ['date'], error: t.dateWrong }),
      z.refine((form) => isDate(form, 'past'), { path: ['date'], error: t.datePast }),
      z.refine(({ preset, isSure }) => preset !== 'never' || isSure, {
        path: ['isSure'],
        error: t.neverSure,
      }),
    )
}

export function toRequest(form: CreateTokenForm, now: number): CreateTokenRequest {
  const { name, description, scope, namespaceKey, addresses } = form
  const expiresAt = expiryOf(form, now)
  return {
    name,
    ...(description !== '' && { description }),
    ...(scope === 'one' && { namespaceKey }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(addresses.length > 0 && { allowedAddresses: addresses }),
  }
}
