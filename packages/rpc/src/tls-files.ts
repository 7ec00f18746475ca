import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { experimental } from '@grpc/grpc-js'
import { AppError } from '@svc/runtime'
import { observeGauge } from '@svc/telemetry'

type CertificateProvider = InstanceType<typeof experimental.FileWatcherCertificateProvider>
type CaListener = Parameters<CertificateProvider['addCaCertificateListener']>[0]
type IdentityListener = Parameters<CertificateProvider['addIdentityCertificateListener']>[0]

/** Paths of a service's certificates, in PEM. */
export interface TlsPaths {
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

/** Interval of reloads, in milliseconds: certificates are replaced days before they expire. */
const refreshMs = 60_000

/**
 * The certificates of a service, reloaded when their files are replaced. While only some are new and do
 * not fit the others, the last good ones stay. Connections keep those that they were made with.
 */
export class TlsFiles implements Pick<CertificateProvider, keyof CertificateProvider> {
  readonly #paths: readonly string[]
  /** What gives each listener its certificates. */
  readonly #notifiers = new Map<CaListener | IdentityListener, () => void>()
  #current: ReturnType<typeof checked>
  #timer: NodeJS.Timeout | undefined

  /** @throws {AppError} `failed_precondition` when they cannot be used */
  constructor({ caFile, certFile, keyFile }: TlsPaths) {
    this.#paths = [caFile, certFile, keyFile]
    try {
      this.#current = checked(...this.#paths.map((path) => readFileSync(path)))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const message = `internal.tls cannot be used: ${why}`
      throw new AppError('failed_precondition', 'tls_unusable', message, { cause: error })
    }
    observeGauge('svc.certificate.expiry.timestamp', (result) =>
      result.observe(this.expiresAt.getTime() / 1000),
    )
  }

  /** When the certificate of this service expires. */
  get expiresAt(): Date {
    return this.#current.expiresAt
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#add(listener, () => listener(this.#current.ca))
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#add(listener, () => listener(this.#current.identity))
  }

  removeCaCertificateListener(listener: CaListener | IdentityListener): void {
    this.#notifiers.delete(listener)
    if (this.#notifiers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.removeCaCertificateListener(listener)
  }

  /** Reads the files again. */
  async refresh(): Promise<void> {
    try {
      const texts = await Promise.all(this.#paths.map((path) => readFile(path)))
      this.#current = checked(...texts)
    } catch {
      return
    }
    for (const notify of this.#notifiers.values()) notify()
  }

  /** Reloads while there are listeners. */
  #add(listener: CaListener | IdentityListener, notify: () => void): void {
    this.#notifiers.set(listener, notify)
    this.#timer ??= setInterval(() => void this.refresh(), refreshMs).unref()
    process.nextTick(notify)
  }
}

/** @throws when a key is not that of its certificate, or a text is neither */
function checked(ca = Buffer.of(), cert = Buffer.of(), key = Buffer.of()) {
  createSecureContext({ ca, cert, key })
  const { validToDate: expiresAt } = new X509Certificate(cert)
  return { ca: { caCertificate: ca }, identity: { certificate: cert, privateKey: key }, expiresAt }
}
