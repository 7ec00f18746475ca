import { z } from 'zod'
import { headerName, origin } from '../kinds/network.ts'
import { bool, listOf } from '../kinds/values.ts'
import type { Requirement } from '../requirements.ts'
import type { Settings } from '../schema.ts'

/** Headers that known browser clients send. */
const allowedHeaders = [
  'Accept',
  'Authorization',
  'Content-Type',
  'X-CSRF-Token',
  'X-Fern-Language',
  'X-Fern-SDK-Name',
  'X-Fern-SDK-Version',
  'X-Svc-Namespace',
  'X-Svc-Accept-Server-Version',
]

export const corsSection = z.strictObject({
  enabled: bool(false).describe('Whether pages of other origins may call this service.'),
  allowedOrigins: listOf(origin()).describe(
    'Which origins, such as https://app.example.com; "*" is refused.',
  ),
  allowedHeaders: listOf(headerName(), allowedHeaders).describe(
    'Which request headers such pages may send.',
  ),
})

export function corsRequirements({ cors }: Settings): Requirement[] {
  return [
    {
      key: 'cors.enabled',
      isMet: !cors.enabled || cors.allowedOrigins.length > 0,
      wrong: 'is true, but cors.allowed_origins lists none',
      remedy: 'List them there or in SVC_CORS_ALLOWED_ORIGINS',
    },
  ]
}
