import { ChannelCredentials, experimental, ServerCredentials } from '@grpc/grpc-js'
import { AppError, type Logger, type Secret, SettingsError } from '@svc/runtime'
import { TlsFiles } from './tls-files.ts'

/** How services authenticate each other. */
export interface Protection {
  /** A call carries the first. A server accepts all of them; without any, it requires none. */
  readonly secrets: readonly Secret[]
  /** Mutual TLS, with or without secrets. */
  readonly tls?: {
    readonly files: TlsFiles
    /** DNS names of which a caller's certificate needs one. */
    readonly callers: readonly string[]
  }
}

/** The part of the `internal` settings that a protection is made of. */
export interface ProtectionSettings {
  readonly internal: {
    readonly secret?: Secret | undefined
    readonly previousSecret?: Secret | undefined
    readonly tls: {
      readonly caFile?: string | undefined
      readonly certFile?: string | undefined
      readonly keyFile?: string | undefined
      readonly callers: readonly string[]
    }
    /** Whether neither is needed: only this machine can reach the services. */
    readonly insecure: boolean
  }
}

/** For servers on the loopback interface. */
export const unprotected: Protection = { secrets: [] }

/** @throws {AppError} for an address, `host:port`, where other machines reach a server without protection */
export function requireProtection({ secrets, tls }: Protection, address: string): void {
  if (secrets.length > 0 || tls !== undefined) return
  if (/^(127\.[\d.]+|\[::1\]|localhost):\d+$/.test(address)) return
  const message =
    `${address} can be reached by others. Give the services a secret by internal.secret or` +
    ' certificates by internal.tls, or listen on 127.0.0.1'
  throw new AppError('failed_precondition', 'unprotected', message)
}

export function toServerCredentials({ tls }: Protection): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure()
  const { files } = tls
  return experimental.createCertificateProviderServerCredentials(files, files, true)
}

export function toChannelCredentials({ tls }: Protection): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure()
  return experimental.createCertificateProviderChannelCredentials(tls.files, tls.files)
}

/**
 * @param log of certificates that are replaced by others that cannot be used
 * @throws {SettingsError} when the settings have neither a secret nor certificates, and `insecure`
 *   is not set
 */
export function protectionOf({ internal }: ProtectionSettings, log?: Logger): Protection {
  const { secret, previousSecret, tls, insecure } = internal
  const { caFile, certFile, keyFile, callers } = tls
  const secrets =
    secret === undefined ? [] : [secret, previousSecret].filter((one) => one !== undefined)
  if (caFile !== undefined && certFile !== undefined && keyFile !== undefined) {
    return { secrets, tls: { files: new TlsFiles({ caFile, certFile, keyFile }, log), callers } }
  }
  if (secrets.length === 0 && !insecure) {
    throw new SettingsError([
      'internal.secret is missing. Give all services the same, in the configuration file, in' +
        ' SVC_INTERNAL_SECRET or in a file that SVC_INTERNAL_SECRET_FILE names; or certificates by' +
        ' internal.tls; or, where only this machine can reach them, set internal.insecure.',
    ])
  }
  return { secrets }
}
