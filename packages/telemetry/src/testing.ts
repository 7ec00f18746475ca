import { context, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { setTracing, startContexts } from './tracing.ts'

export type { ReadableSpan } from '@opentelemetry/sdk-trace'

/** The part of a test that this needs. */
interface Tearing {
  teardown(undo: () => unknown): void
}

/** Keeps the context of requests until the test ends, as a process does. */
export function keepContexts(t: Tearing): void {
  startContexts()
  t.teardown(() => context.disable())
}

/** Records the spans of this process until the test ends. @returns those that have ended, in their order */
export function recordSpans(t: Tearing): () => readonly ReadableSpan[] {
  const exporter = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor({ exporter })]
  keepContexts(t)
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }))
  setTracing(true)
  t.teardown(() => {
    setTracing(false)
    trace.disable()
  })
  return () => exporter.getFinishedSpans()
}
