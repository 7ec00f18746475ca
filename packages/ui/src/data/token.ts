import type { Authentication } from '@svc/client/api'

/** What gives an application access: a static token, or the login of a workload. */
export interface Token {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The one in which it works; empty: in all. */
  readonly namespaceKey: string
  readonly createdAt: string
  readonly expiresAt: string | undefined
  readonly use: Authentication['use']
  /** From which alone it is accepted; empty: from everywhere. */
  readonly allowedAddresses: readonly string[]
  /** Until then the secret before the present one is accepted too. */
  readonly previousSecretExpiresAt: string | undefined
  /** Whether the service made it at its first start. */
  readonly isFirst: boolean
  readonly isWorkload: boolean
  /** Whether the command line got it from a session: it has no secret but this one. */
  readonly isCli: boolean
}

/** The name of the token that the service makes at its first start. */
const firstName = 'initial_bootstrap_token'

export function toToken({ metadata, method, ...record }: Authentication): Token {
  const cli = metadata['io.svc.auth.cli.name']
  const workload = metadata['io.svc.auth.orchestrator.serviceaccount.name']
  const own = metadata['io.svc.auth.token.name'] ?? workload ?? ''
  const name = cli ?? own
  return {
    id: record.id,
    name: name || record.id.slice(0, 8),
    description:
      (cli === undefined ? metadata['io.svc.auth.token.description'] : own) ??
      metadata['io.svc.auth.orchestrator.pod.name'] ??
      '',
    namespaceKey: metadata['io.svc.auth.token.namespace'] ?? '',
    createdAt: record.createdAt,
    expiresAt: record.expiresAt,
    use: record.use,
    allowedAddresses: record.allowedAddresses,
    previousSecretExpiresAt: record.previousSecretExpiresAt,
    isFirst: method === 'METHOD_TOKEN' && cli === undefined && name === firstName,
    isWorkload: method === 'METHOD_ORCHESTRATOR',
    isCli: cli !== undefined,
  }
}
