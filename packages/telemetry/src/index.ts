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
export {
  type Attributes,
  activeSpan,
  type Context,
  contextOf,
  failSpan,
  inSpan,
  isSampled,
  isTracing,
  logFields,
  outsideOfRequests,
  requestHeaders,
  type Span,
  type SpanDescription,
  startContexts,
  startSpan,
  traceHeaders,
  unsampled,
  within,
} from './tracing.ts'
