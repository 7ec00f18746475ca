import type { StartFacts } from './start.summary.ts'

/** Where the launcher and the services say what happens. */
export interface Output {
  /** A part of the start that is done. */
  step(what: string, details: string, tookMs: number): void
  /** Something that went another way than planned; one line. */
  warn(sentence: string): void
  /** A line that a service wrote. */
  pass(service: string, line: string): void
  ready(facts: StartFacts): void
}
