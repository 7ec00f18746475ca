import { AppError } from '@svc/runtime'

/** @throws {AppError} for an address, `host:port`, that other machines can reach */
export function requireLoopback(address: string): void {
  if (/^(127\.[\d.]+|\[::1\]|localhost):\d+$/.test(address)) return
  const message =
    `${address} can be reached by others. Give the services a secret by internal.secret or` +
    ' certificates by internal.tls, or listen on 127.0.0.1'
  throw new AppError('failed_precondition', 'unprotected', message)
}

export function toListenError(address: string, cause: Error): AppError {
  const [reason, message] = /EADDRINUSE/.test(cause.message)
    ? ['address_in_use', `${address} is in use by another process`]
    : ['address_unusable', `cannot listen on ${address}`]
  return new AppError('failed_precondition', reason, message, { cause })
}
