import type { Finding } from './health.ts'
import type { StatusTexts } from './texts.ts'

/** All of it in one sentence: the worst that there is. */
export function headlineOf(findings: readonly Finding[], t: StatusTexts): string {
  const [worst] = findings
  if (worst === undefined) return t.fine
  switch (worst.kind) {
    case 'unreachable':
    case 'draining':
    case 'notReady':
    case 'unknown':
      return t.findings[worst.kind]
    default:
      return t.attention
  }
}

export function tellFinding(
  finding: Finding,
  t: StatusTexts,
  number: (value: number) => string,
  duration: (ms: number) => string,
): string {
  switch (finding.kind) {
    case 'unreachable':
      return t.unreachableText
    case 'draining':
      return t.drainingText
    case 'notReady':
      return t.notReadyText
    case 'unknown':
      return t.unknown[finding.part]
    case 'stale': {
      const { ageSeconds, part } = finding
      return t.stale[part](ageSeconds === undefined ? t.longTime : duration(ageSeconds * 1000))
    }
    case 'behind':
    case 'silent':
    case 'old':
      return t[finding.kind](finding.count, number(finding.count), number(finding.total))
  }
}
