import { z } from 'zod'
import { bool, oneOf } from '../kinds/values.ts'

export const logSection = z.strictObject({
  level: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal')
    .prefault('info')
    .describe('The lowest level that is logged: trace, debug, info, warn, error or fatal.'),
  encoding: oneOf('json', 'console').meta({
    description: 'json (one object a line) or console; by default console on a terminal only.',
    example: 'json',
  }),
  requests: bool(false).describe('Whether every HTTP request is logged when it has been answered.'),
})
