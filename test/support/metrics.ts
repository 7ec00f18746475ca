import { type InstrumentDescription, instruments } from '@svc/telemetry'
import type { ServiceProcess } from './service-process.ts'

/** One line of the text of Prometheus. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The port on which a service says that it serves its metrics. */
export function metricsPortOf({ lines }: Pick<ServiceProcess, 'lines'>): number {
  const line = lines.findLast(({ msg }) => msg === 'health and metrics are served')
  if (line === undefined) throw new Error('it serves no metrics')
  return Number(line.port)
}

/** What a process has measured, as text. */
export async function scrape(process: Pick<ServiceProcess, 'lines'>): Promise<string> {
  const url = `http://127.0.0.1:${metricsPortOf(process)}/metrics`
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
  return answer.text()
}

/** @throws {Error} for a line that is not of the format */
export function parseMetrics(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', list = '', value] =
        /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (-?[0-9.e+-]+|\+Inf|NaN)$/i.exec(line) ?? []
      if (value === undefined) throw new Error(`not a line of metrics: ${line}`)
      const labels = [...list.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)]
      return {
        name,
        labels: Object.fromEntries(labels.map(([, key = '', text = '']) => [key, text])),
        value: Number(value),
      }
    })
}

/** The sum of the samples of a name that have these labels; `undefined` where there is none. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  if (found.length === 0) return undefined
  return found.reduce((sum, { value }) => sum + value, 0)
}

const unitSuffixes = { s: '_seconds', By: '_bytes', '1': '' } as const

/** The name of an instrument as Prometheus has it, of a histogram without what its samples end with. */
export function prometheusNameOf(name: string): string {
  const { kind, unit = '1' }: InstrumentDescription = instruments[name as keyof typeof instruments]
  const plain = name.replaceAll('.', '_')
  const suffix = plain.endsWith(unitSuffixes[unit]) ? '' : unitSuffixes[unit]
  return `${plain}${suffix}${kind === 'counter' ? '_total' : ''}`
}
