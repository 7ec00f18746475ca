import type { Info } from '@svc/client/api'
import type { Ready } from '../../data/status.ts'
import type { GatewayLine } from './health.ts'

interface Report {
  readonly at: Date
  readonly headline: string
  readonly info: Info | undefined
  readonly ready: Ready | undefined
  readonly gateways: readonly GatewayLine[]
  readonly namespaceKey: string
  readonly revision: number | undefined
  readonly userAgent: string
}

/** What a report of a problem begins with, as text. It has no addresses and no names of people. */
export function reportOf(report: Report): string {
  const { at, headline, info, ready, gateways, namespaceKey, revision, userAgent } = report
  const parts = Object.entries(ready?.parts ?? {}).map(
    ([name, { state, ageSeconds }]) => `${name} ${state}${textOf(' ', ageSeconds, ' s old')}`,
  )
  const lines = gateways.map(
    ({ id, version, revision, ms, seenMsAgo, dataAgeMs }) =>
      `  ${id} ${version}${textOf(', revision ', revision)}${textOf(', had after ', ms, ' ms')}` +
      `, reported ${seenMsAgo} ms ago${textOf(', data ', dataAgeMs, ' ms old')}`,
  )
  return [
    headline,
    `at: ${at.toISOString()}`,
    info && `version: ${info.version}, ${info.goVersion}, ${info.os} ${info.arch}`,
    ready && `this gateway: ${[ready.status, ...parts].join('; ')}`,
    `namespace: ${namespaceKey}${textOf(', revision ', revision)}`,
    `gateways: ${gateways.length}`,
    ...lines,
    `browser: ${userAgent}`,
  ]
    .filter((line) => line !== undefined)
    .join('\n')
}

function textOf(before: string, value: number | undefined, after = ''): string {
  return value === undefined ? '' : `${before}${value}${after}`
}
