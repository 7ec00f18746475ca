import { type AppError, alreadyExists, invalidArgument, notFound } from '@svc/runtime'

export function namespaceNotFound(key: string): AppError {
  return notFound('namespace', `namespace "${key}" not found`)
}

export function namespaceNotUnique(key: string): AppError {
  return alreadyExists('namespace', `namespace "${key}" is not unique`)
}

export function namespaceIsProtected(key: string): AppError {
  return invalidArgument(`namespace "${key}" is protected`)
}

export function namespaceHoldsFlags(key: string): AppError {
  return invalidArgument(`namespace "${key}" cannot be deleted; flags must be deleted first`)
}
