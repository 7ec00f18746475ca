import { randomBytes } from 'node:crypto'
import type { Service } from './service-process.ts'

const newSecret = () => randomBytes(32).toString('hex')

const shared = { SVC_INTERNAL_SECRET: newSecret() }
const ofVouchers = { ...shared, SVC_INTERNAL_ASSERTION_KEY: newSecret() }

/** What the services of a test know each other by, as environment variables. */
export function internalEnv(service: Service): Readonly<Record<string, string>> {
  return service === 'gateway' ? shared : ofVouchers
}
