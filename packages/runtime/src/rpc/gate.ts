import { X509Certificate } from 'node:crypto'
import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js'
import { AppError } from '../errors.ts'
import type { Logger } from '../logging.ts'
import { Seldom } from '../seldom.ts'
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
  readonly #seldom = new Seldom()

  constructor({ secrets, tls }: Protection, log: Logger, nowMs?: () => number) {
    this.#log = log
    this.#proofs = secrets.length === 0 ? undefined : new CallProofs(secrets, nowMs)
    this.#callers = tls?.callers
  }

  /** @throws {AppError} `unauthenticated`, always the same; the log says what was wrong */
  admit(call: SealedCall): void {
    const fault = this.#findFault(call)
    if (fault === undefined) return
    this.#warn(fault, call)
    const message = 'the call does not come from a service of this installation'
    throw new AppError('unauthenticated', untrustedReason, message)
  }

  #findFault(call: SealedCall): Fault | 'certificate' | undefined {
    if (this.#callers !== undefined && !isIssuedTo(this.#callers, call)) return 'certificate'
    const proofs = call.metadata.get(proofKey)
    const proof = proofs.length === 1 ? String(proofs[0]) : undefined
    return this.#proofs?.findFault(proof, call.getPath(), call.request)
  }

  #warn(fault: string, call: SealedCall): void {
    if (!this.#seldom.isDue(fault)) return
    const context = { fault, path: call.getPath(), peer: call.getPeer() }
    this.#log.warn(context, 'refused a call that does not come from a service of this installation')
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
