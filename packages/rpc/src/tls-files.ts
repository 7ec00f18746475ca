import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { experimental } from '@grpc/grpc-js'
import { AppError } from '@svc/runtime'

type CertificateProvider = InstanceType<typeof experimental.FileWatcherCertificateProvider>
type CaListener = Parameters<CertificateProvider['addCaCertificateListener']>[0]
type IdentityListener = Parameters<CertificateProvider['addIdentityCertificateListener']>[0]

/** Paths of a service's certificates, in PEM. */
export interface TlsPaths {
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

interface Certificates {
  readonly ca: Buffer
  readonly cert: Buffer
  readonly key: Buffer
}

/** Interval of reloads, in milliseconds: certificates are replaced days before they expire. */
const refreshMs = 60_000

/**
 * The certificates of a service, reloaded when their files are replaced. While only some are new and do
 * not fit the others, the last good ones stay. Connections keep those that they were made with.
 */
export class TlsFiles implements Pick<CertificateProvider, keyof CertificateProvider> {
  readonly #paths: TlsPaths
  readonly #caListeners = new Set<CaListener>()
  readonly #identityListeners = new Set<IdentityListener>()
  #current: Certificates
  #timer: NodeJS.Timeout | undefined

  /** @throws {AppError} `failed_precondition` when they cannot be used */
  constructor(paths: TlsPaths) {
    this.#paths = paths
    try {
      const { caFile, certFile, keyFile } = paths
      this.#current = checked(...[caFile, certFile, keyFile].map((path) => readFileSync(path)))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const message = `internal.tls cannot be used: ${why}`
      throw new AppError('failed_precondition', 'tls_unusable', message, { cause: error })
    }
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener)
    this.#watch()
    process.nextTick(() => listener({ caCertificate: this.#current.ca }))
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener)
    this.#watch()
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener)
    this.#watch()
    process.nextTick(() => listener(this.#identity()))
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener)
    this.#watch()
  }

  /** Reads the files again. */
  async refresh(): Promise<void> {
    const { caFile, certFile, keyFile } = this.#paths
    try {
      const texts = await Promise.all([caFile, certFile, keyFile].map((path) => readFile(path)))
      this.#current = checked(...texts)
    } catch {
      return
    }
    for (const listener of this.#caListeners) listener({ caCertificate: this.#current.ca })
    for (const listener of this.#identityListeners) listener(this.#identity())
  }

  #identity() {
    return { certificate: this.#current.cert, privateKey: this.#current.key }
  }

  /** Reloads while there are listeners. */
  #watch(): void {
    const isHeard = this.#caListeners.size + this.#identityListeners.size > 0
    if (isHeard) this.#timer ??= setInterval(() => void this.refresh(), refreshMs).unref()
    else {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}

/** @throws when a key is not that of its certificate, or a text is neither */
function checked(ca = Buffer.of(), cert = Buffer.of(), key = Buffer.of()): Certificates {
  createSecureContext({ ca, cert, key })
  return { ca, cert, key }
}
