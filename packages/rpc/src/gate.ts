import { X509Certificate } from 'node:crypto'
import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js'
import { AppError, type Logger, LogThrottle } from '@svc/runtime'
import { CallProofs, type Fault, proofKey } from './call-proof.ts'
import type { Protection } from './protection.ts'
import { untrustedReason } from './status.ts'

/** A call whose request has not been looked at. */
export type SealedCall = ServerUnaryCall<Buffer, unknown> | ServerWritableStream<Buffer, unknown>

/** Lets calls pass that come from a service of this installation. */
export class Gate {
  readonly #log: Logger
  readonly #proofs: CallProofs | undefined
  readonly #callers: readonly string[] | undefined
  readonly #logThrottle = new LogThrottle()

  constructor({ secrets, tls }: Protection, log: Logger, nowMs?: () => number) {
    this.#log = log
    this.#proofs = secrets.length === 0 ? undefined : new CallProofs(secrets, nowMs)
    this.#callers = tls?.callers
  }

  /** @throws {AppError} `unauthenticated`; its message says what is wrong, for the log of the caller */
  admit(call: SealedCall): void {
    const refusal = this.#findRefusal(call)
    if (refusal === undefined) return
    const { fault, why } = refusal
    if (this.#logThrottle.shouldLog(fault)) {
      const context = { fault, path: call.getPath(), peer: call.getPeer() }
      this.#log.warn(context, `refused a call of another service: ${why}`)
    }
    throw new AppError('unauthenticated', untrustedReason, why)
  }

  #findRefusal(call: SealedCall): { fault: Fault | 'certificate'; why: string } | undefined {
    if (this.#callers !== undefined && !isIssuedTo(this.#callers, call)) {
      const why = 'the certificate of the caller has none of the names in internal.tls.callers'
      return { fault: 'certificate', why }
    }
    const proofs = call.metadata.get(proofKey)
    const proof = proofs.length === 1 ? String(proofs[0]) : undefined
    const fault = this.#proofs?.findFault(proof, call.getPath(), call.request)
    if (this.#proofs === undefined || fault === undefined) return undefined
    return { fault, why: this.#proofs.describe(fault, proof) }
  }
}

/** By the names as the library reads them: as text, one name could look like several. */
function isIssuedTo(names: readonly string[], call: SealedCall): boolean {
  const raw = call.getAuthContext().sslPeerCertificate?.raw
  if (raw === undefined) return false
  const certificate = new X509Certificate(raw)
  const exactly = { subject: 'never', wildcards: false } as const
  return names.some((name) => certificate.checkHost(name, exactly) !== undefined)
}
