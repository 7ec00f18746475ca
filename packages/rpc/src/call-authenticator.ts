import { hash, timingSafeEqual, X509Certificate } from 'node:crypto'
import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js'
import { AppError, type Logger, LogThrottle } from '@svc/runtime'
import type { Protection } from './protection.ts'
import { untrustedReason } from './status.ts'

/** Metadata of the shared secret. In binary metadata a secret may have any characters. */
export const secretKey = 'svc-internal-secret-bin'

/** A call before its authentication. Nothing of its request is read. */
export interface UnauthenticatedCall {
  readonly path: string
  readonly metadata: Metadata
  readonly connection: Pick<ServerInterceptingCallInterface, 'getPeer' | 'getAuthContext'>
}

/** Texts for the logs of both services. The caller reads them: they name settings, never values. */
const messages = {
  missing_secret: 'no internal.secret is set at the caller',
  wrong_secret: 'internal.secret differs',
  wrong_certificate: 'the certificate of the caller has none of the names in internal.tls.callers',
}

type Reason = keyof typeof messages

export function addSecret(metadata: Metadata, { secrets: [secret] }: Protection): void {
  if (secret !== undefined) metadata.set(secretKey, Buffer.from(secret.reveal()))
}

/** Accepts calls of this installation's services: by their certificate, their secret or both. */
export class CallAuthenticator {
  readonly #log: Logger
  readonly #hashes: readonly Buffer[]
  readonly #callers: readonly string[] | undefined
  readonly #throttle = new LogThrottle()

  constructor({ secrets, tls }: Protection, log: Logger) {
    this.#log = log
    this.#hashes = secrets.map((secret) => hash('sha256', secret.reveal(), 'buffer'))
    this.#callers = tls?.callers
  }

  /** @throws {AppError} `unauthenticated`; its message is for the log of the caller */
  authenticate(call: UnauthenticatedCall): void {
    const reason = this.#refusalReason(call)
    if (reason === undefined) return
    if (this.#throttle.shouldLog(reason)) {
      const context = { reason, path: call.path, peer: call.connection.getPeer() }
      this.#log.warn(context, `refused a call of another service: ${messages[reason]}`)
    }
    throw new AppError('unauthenticated', untrustedReason, messages[reason])
  }

  #refusalReason({ connection, metadata }: UnauthenticatedCall): Reason | undefined {
    if (this.#callers !== undefined && !isIssuedTo(this.#callers, connection))
      return 'wrong_certificate'
    if (this.#hashes.length === 0) return undefined
    const [secret, ...others] = metadata.get(secretKey)
    if (secret === undefined) return 'missing_secret'
    return others.length === 0 && this.#isAccepted(secret) ? undefined : 'wrong_secret'
  }

  /** Constant time: hashes have one length, and all of them are compared. */
  #isAccepted(secret: string | Buffer): boolean {
    const given = hash('sha256', secret, 'buffer')
    return this.#hashes.filter((expected) => timingSafeEqual(expected, given)).length > 0
  }
}

/** Checks the names as the library parses them: as text, one name could look like several. */
function isIssuedTo(
  names: readonly string[],
  connection: UnauthenticatedCall['connection'],
): boolean {
  const raw = connection.getAuthContext().sslPeerCertificate?.raw
  if (raw === undefined) return false
  const certificate = new X509Certificate(raw)
  const exactly = { subject: 'never', wildcards: false } as const
  return names.some((name) => certificate.checkHost(name, exactly) !== undefined)
}
