import * as z from 'zod/mini'
import { keyPattern, maxKeyLength } from '../../data/keys.ts'
import type { NameAndKeyTexts } from './texts.ts'

type Errors<Name extends keyof NameAndKeyTexts> = Pick<NameAndKeyTexts, Name | 'tooLong'>

/** What the service takes as the name of anything. */
export function nameSchema(t: Errors<'nameMissing'>) {
  return z.string().check(z.trim(), z.minLength(1, t.nameMissing), z.maxLength(255, t.tooLong))
}

/** What the service takes as the key of anything. */
export function keySchema(t: Errors<'keyMissing' | 'keyWrong'>) {
  return z
    .string()
    .check(
      z.minLength(1, t.keyMissing),
      z.maxLength(maxKeyLength, t.tooLong),
      z.regex(keyPattern, t.keyWrong),
    )
}
