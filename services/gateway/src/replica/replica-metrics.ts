import { histogram, observeGauge } from '@svc/telemetry'
import type { Replica } from './replica.ts'

/** Measures what this gateway has of the flags, and how long changes take to get here. */
export function measureReplica(replica: Replica): void {
  observeGauge('svc.replica.age', (result) => {
    const { ageMs } = replica
    // An alert cannot fire of a gauge that is left out.
    result.observe((Number.isFinite(ageMs) ? ageMs : performance.now()) / 1000)
  })
  observeGauge('svc.replica.revision', (result) => result.observe(replica.revision))
  observeGauge('svc.replica.bytes', (result) => result.observe(replica.bytes))
  const propagation = histogram('svc.propagation')
  replica.onChange(({ ageMs }) => {
    // What is loaded at the start was committed at any time.
    if (replica.isLoaded && ageMs !== undefined) propagation.record(ageMs / 1000)
  })
}
