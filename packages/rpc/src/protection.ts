import { type Secret, SettingsError } from '@svc/runtime'
import { TlsFiles } from './tls-files.ts'

/** How the two ends of a connection know that the other is one of ours. */
export interface Protection {
  /** With the first, calls are proved; all of them are accepted. Without one, calls need no proof. */
  readonly secrets: readonly string[]
  /** Both ends have a certificate. */
  readonly tls?: {
    readonly files: TlsFiles
    /** The host names in the certificates of those who may call. */
    readonly callers: readonly string[]
  }
}

/** The `internal` section of the settings, as far as it says how calls are protected. */
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
    /** Neither is wanted: only this machine can reach the services. */
    readonly insecure: boolean
  }
}

/** For what listens on the loopback interface and nowhere else. */
export const unprotected: Protection = { secrets: [] }

export function isProtected({ secrets, tls }: Protection): boolean {
  return secrets.length > 0 || tls !== undefined
}

/**
 * @throws {SettingsError} when the settings name neither a secret nor certificates, and do not say
 *   that this is meant
 */
export function protectionOf({ internal }: ProtectionSettings): Protection {
  const { secret, previousSecret, tls, insecure } = internal
  const { caFile, certFile, keyFile, callers } = tls
  const secrets =
    secret === undefined ? [] : [secret, previousSecret].flatMap((one) => one?.reveal() ?? [])
  if (caFile !== undefined && certFile !== undefined && keyFile !== undefined) {
    return { secrets, tls: { files: new TlsFiles({ caFile, certFile, keyFile }), callers } }
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
