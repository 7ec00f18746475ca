import { ConstraintViolation } from '@svc/database'
import type { AppError } from '@svc/runtime'

/**
 * Turns the violation of a constraint into what the caller did wrong.
 *
 * @param meanings by the constraint's name, as the migrations give it
 */
export async function explainViolations<T>(
  write: Promise<T>,
  meanings: Readonly<Record<string, () => AppError>>,
): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error
    throw meanings[error.constraint]?.() ?? error
  }
}
