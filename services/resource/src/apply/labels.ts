import { DocumentError } from '@svc/documents'
import { AppError, invalidArgument } from '@svc/runtime'

/** Does a part of something. Its errors say which part: `operations[3]: …`. */
export function labelled<T>(label: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw labelError(label, error)
  }
}

/** The error of the part; an error that no caller may see stays as it is. */
export function labelError(label: string, error: unknown): unknown {
  const said = error instanceof DocumentError ? invalidArgument(error.message) : error
  if (!(said instanceof AppError) || label === '') return said
  return new AppError(said.code, said.reason, `${label}: ${said.message}`, { cause: said })
}
