import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { experimental } from '@grpc/grpc-js'
import { AppError, type Logger } from '@svc/runtime'
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
 * not fit the others, or one is not whole, the last good ones stay, and the log says why. Connections keep
 * those that they were made with.
 */
export class TlsFiles implements Pick<CertificateProvider, keyof CertificateProvider> {
  readonly #paths: readonly string[]
  readonly #log: Logger | undefined
  /** What gives each listener its certificates. */
  readonly #notifiers = new Map<CaListener | IdentityListener, () => void>()
  #current: ReturnType<typeof checked>
  #timer: NodeJS.Timeout | undefined
  /** Why the files cannot be used now, as it was logged. */
  #fault: string | undefined

  /** @throws {AppError} `failed_precondition` when they cannot be used */
  constructor({ caFile, certFile, keyFile }: TlsPaths, log?: Logger) {
    this.#log = log
    this.#paths = [caFile, certFile, keyFile]
    try {
      this.#current = checked(...this.#paths.map((path) => readFileSync(path)))
    } catch (error) {
      const message = messageOf(error)
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
    } catch (error) {
      const fault = messageOf(error)
      if (fault !== this.#fault) this.#log?.warn(`${fault}; the last good files stay`)
      this.#fault = fault
      return
    }
    this.#fault = undefined
    for (const notify of this.#notifiers.values()) notify()
  }

  /** Reloads while there are listeners. */
  #add(listener: CaListener | IdentityListener, notify: () => void): void {
    this.#notifiers.set(listener, notify)
    this.#timer ??= setInterval(() => void this.refresh(), refreshMs).unref()
    process.nextTick(notify)
  }
}

function messageOf(error: unknown): string {
  return `internal.tls cannot be used: ${error instanceof Error ? error.message : String(error)}`
}

/** @throws when a key is not that of its certificate, or a text is neither, or no authority */
function checked(ca = Buffer.of(), cert = Buffer.of(), key = Buffer.of()) {
  checkAuthorities(ca.toString('latin1'))
  createSecureContext({ ca, cert, key })
  const { validToDate: expiresAt } = new X509Certificate(cert)
  return { ca: { caCertificate: ca }, identity: { certificate: cert, privateKey: key }, expiresAt }
}

const beginOfCertificate = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/g
const wholeCertificate = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[^-]*-----END \1-----/g

/** Node.js takes what it can read of such a file: of an empty one nothing, and no peer is trusted then. */
function checkAuthorities(pem: string): void {
  const count = pem.match(beginOfCertificate)?.length ?? 0
  const whole = pem.match(wholeCertificate) ?? []
  if (count === 0) throw new Error('ca_file has no certificate')
  if (whole.length < count) throw new Error('ca_file has a certificate that is not whole')
  for (const [index, certificate] of whole.entries()) {
    try {
      new X509Certificate(certificate)
    } catch (cause) {
      throw new Error(`ca_file has no certificate as number ${index + 1}`, { cause })
    }
  }
}
