import type {
  CreateNamespaceRequest,
  DeleteNamespaceRequest,
  GetNamespaceRequest,
  UpdateNamespaceRequest,
} from '@svc/proto/resource/v1/namespaces'
import { type AppError, alreadyExists, invalidArgument, notFound } from '@svc/runtime'
import { checkKey, checkLong, checkPresent, checkText } from '../fields.ts'

export function checkNamespaceKey(request: GetNamespaceRequest | DeleteNamespaceRequest): void {
  checkText(request)
  checkKey('key', request.key)
}

export function checkNamespace(request: CreateNamespaceRequest | UpdateNamespaceRequest): void {
  checkText(request)
  checkKey('key', request.key)
  checkPresent('name', request.name)
  checkLong('description', request.description)
}

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
