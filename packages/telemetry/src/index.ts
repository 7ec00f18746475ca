export { type FastCount, type FastDistribution, fastCounter, fastHistogram } from './fast.ts'
export { type InstrumentDescription, instruments } from './instruments.ts'
export {
  type Counter,
  contentType,
  counter,
  countRefused,
  histogram,
  type Metrics,
  type Observe,
  observeCounter,
  observeGauge,
  type RefusedFor,
} from './metrics.ts'
