/** What a process measures: one entry an instrument, from which views, documents and types are made. */
export interface InstrumentDescription {
  readonly kind: 'counter' | 'histogram' | 'gauge'
  /** In UCUM, such as `s` or `By`; the name in Prometheus ends with it. */
  readonly unit?: 's' | 'By' | '1'
  /** One sentence, for `# HELP` and docs/metrics.md. */
  readonly about: string
  /** Attributes, as OpenTelemetry names them; others are dropped. */
  readonly labels: readonly string[]
  /** Maximum combinations of their values; what is more is counted together. */
  readonly limit: number
  /** Upper bounds of a histogram's buckets but the last: at most 7. */
  readonly bounds?: readonly number[]
  /** Services that have it; all when left out. */
  readonly of?: readonly ('gateway' | 'auth' | 'resource')[]
}

export const instruments = {
  'svc.build_info': {
    kind: 'gauge',
    about: '1, with the version, the commit that it was built from, and the version of Node.js.',
    labels: ['version', 'revision', 'node'],
    limit: 1,
  },
} as const satisfies Readonly<Record<string, InstrumentDescription>>

type Instruments = typeof instruments

/** The names of the instruments of a kind. */
export type InstrumentName<Kind extends InstrumentDescription['kind']> = {
  readonly [Name in keyof Instruments]: Instruments[Name]['kind'] extends Kind ? Name : never
}[keyof Instruments]
