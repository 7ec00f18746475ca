import { z } from 'zod'
import { bool } from '../kinds/values.ts'
import { sessionSection } from './session.ts'

const exempt = (path: string, warning = '') =>
  bool(false).describe(`Whether ${path} is exempt from authentication.required${warning}.`)

/** All of the section but `methods`: each method declares its own settings. */
export const authenticationShape = {
  required: bool(true).describe('Whether requests need a credential.'),
  exclude: z.strictObject({
    management: exempt('/api/v1', '; mind who can reach it'),
    evaluation: exempt('/evaluate/v1'),
    ofrep: exempt('/ofrep/v1'),
    metadata: exempt('/meta/info'),
  }),
  session: sessionSection,
} as const
