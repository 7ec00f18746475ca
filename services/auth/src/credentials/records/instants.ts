import { formatInstant, type Instant } from '@svc/database'
import { invalidField } from '@svc/runtime'

/** @throws {AppError} outside of what the interface can express: the years 1 to 9999 */
export function checkInstant(field: string, { seconds, nanos }: Instant): void {
  const isExpressible = seconds >= -62_135_596_800 && seconds <= 253_402_300_799
  if (!isExpressible || nanos < 0 || nanos > 999_999_999) {
    throw invalidField(field, 'must be a time from the year 1 to 9999')
  }
}

/** Truncated to microseconds, where PostgreSQL would round. */
export function toTimestamp({ seconds, nanos }: Instant): string {
  return formatInstant({ seconds, nanos: nanos - (nanos % 1000) })
}
