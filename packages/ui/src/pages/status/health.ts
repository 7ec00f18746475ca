import type { Gateway, GatewayPosition, Propagation } from '@svc/client/api'
import type { Ready } from '../../data/status.ts'

export type Level = 'fine' | 'attention' | 'failure'

/** What a look is made of: what this gateway says of itself, the gateways, and which revision they have. */
export type Source = 'ready' | 'gateways' | 'revisions'

/** Something to know of, the worst first. */
export type Finding =
  | { readonly kind: 'unreachable' | 'draining' | 'notReady'; readonly level: 'failure' }
  | { readonly kind: 'unknown'; readonly level: 'attention'; readonly part: Source }
  | {
      readonly kind: 'stale'
      readonly level: 'attention'
      readonly part: 'flags' | 'auth'
      readonly ageSeconds: number | undefined
    }
  | {
      /** `behind` lacks the present revision; `silent` has not reported for a while; `old` is cut off. */
      readonly kind: 'behind' | 'silent' | 'old'
      readonly level: 'attention'
      readonly count: number
      readonly total: number
    }

/** What the page knows; nothing of what it may not see or does not know yet. */
export interface Known {
  readonly isOnline: boolean
  readonly ready: Ready | undefined
  readonly gateways: readonly GatewayLine[]
  /** What could not be read at the last look. */
  readonly failed: readonly Source[]
}

/** A gateway, as far as it is known. */
export interface GatewayLine {
  readonly id: string
  readonly version: string
  readonly startedAt: string | undefined
  readonly seenMsAgo: number
  readonly dataAgeMs: number | undefined
  /** Of the namespace; nothing when that is not known. */
  readonly revision: number | undefined
  /** Until it had that revision. */
  readonly ms: number | undefined
  readonly isBehind: boolean
}

/** Gateways report every ten seconds at least, and get changes every few. In milliseconds. */
const silentMs = 25_000
const oldMs = 30_000

/** What there is to know, the worst first; empty when everything works. */
export function findingsOf({ isOnline, ready, gateways, failed }: Known): readonly Finding[] {
  if (!isOnline) return [{ kind: 'unreachable', level: 'failure' }]
  const findings: Finding[] = []
  if (ready?.status === 'draining') findings.push({ kind: 'draining', level: 'failure' })
  if (ready?.status === 'not ready') findings.push({ kind: 'notReady', level: 'failure' })
  for (const part of failed) findings.push({ kind: 'unknown', level: 'attention', part })
  for (const part of ['flags', 'auth'] as const) {
    const of = ready?.parts[part]
    if (of === undefined || of.state === 'current') continue
    findings.push({ kind: 'stale', level: 'attention', part, ageSeconds: of.ageSeconds })
  }
  const count = (kind: 'behind' | 'silent' | 'old', is: (one: GatewayLine) => boolean) => {
    const { length } = gateways.filter(is)
    if (length > 0)
      findings.push({ kind, level: 'attention', count: length, total: gateways.length })
  }
  count('silent', isSilent)
  count('old', (one) => !isSilent(one) && isOld(one))
  count('behind', (one) => !isSilent(one) && !isOld(one) && one.isBehind)
  return findings
}

export function levelOf(findings: readonly Finding[]): Level {
  if (findings.some(({ level }) => level === 'failure')) return 'failure'
  return findings.length > 0 ? 'attention' : 'fine'
}

export function isSilent({ seenMsAgo }: GatewayLine): boolean {
  return seenMsAgo > silentMs
}

export function isOld({ dataAgeMs = 0 }: GatewayLine): boolean {
  return dataAgeMs > oldMs
}

/**
 * The gateways by id. A caller that may see one namespace only knows them by its positions.
 */
export function linesOf(
  gateways: readonly Gateway[] | undefined,
  propagation: Propagation | undefined,
): readonly GatewayLine[] {
  const positions = new Map(propagation?.positions.map((one) => [one.id, one]))
  const present = propagation?.revision ?? 0
  const line = (
    { id, version, seenMsAgo }: Gateway | GatewayPosition,
    position: GatewayPosition | undefined,
    gateway: Gateway | undefined,
  ): GatewayLine => ({
    ...{ id, version, seenMsAgo },
    startedAt: gateway?.startedAt,
    dataAgeMs: gateway?.dataAgeMs,
    // 0: it has reported nothing of the namespace.
    revision: position?.revision || undefined,
    ms: position?.ms,
    isBehind: position !== undefined && position.revision < present,
  })
  const lines =
    gateways?.map((one) => line(one, positions.get(one.id), one)) ??
    [...positions.values()].map((one) => line(one, one, undefined))
  return lines.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** How long something has been up, in the greatest unit that fits. */
export function durationOf(ms: number): readonly [count: number, unit: DurationUnit] {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const
  for (const [unit, size] of units) if (ms >= size) return [Math.floor(ms / size), unit]
  return [Math.max(0, Math.floor(ms / 1000)), 'second']
}

type DurationUnit = 'day' | 'hour' | 'minute' | 'second'
