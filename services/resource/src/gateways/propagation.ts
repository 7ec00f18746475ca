import type { Propagation } from '@svc/proto/resource/v1/gateways'
import { invalidField } from '@svc/runtime'
import { checkWhole } from '../records/requests.ts'
import type { Positions } from './gateways.store.ts'

/**
 * Which gateways have a revision of a namespace.
 *
 * @param asked the present one when left out
 * @throws {AppError} `invalid_argument` for a revision that the namespace has not had
 */
export function toPropagation(
  { revision: present, positions }: Positions,
  asked = present,
): Propagation {
  checkWhole('revision', asked)
  if (asked > present) {
    throw invalidField('revision', `must be at most ${present}, which the namespace is at`)
  }
  const reached = positions.filter(({ revision }) => revision >= asked)
  const times = reached.flatMap(({ ms = [] }) => ms)
  return {
    revision: asked,
    gateways: positions.length,
    reached: reached.length,
    slowestMs: times.length === 0 ? undefined : Math.max(...times),
    settled: reached.length > 0 && reached.length === positions.length,
    positions: [...positions],
  }
}
