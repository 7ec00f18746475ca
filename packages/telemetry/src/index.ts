export { type InstrumentDescription, instruments } from './instruments.ts'
export {
  contentType,
  counter,
  histogram,
  type Metrics,
  type Observe,
  observeCounter,
  observeGauge,
} from './metrics.ts'
