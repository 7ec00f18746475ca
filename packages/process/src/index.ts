export type { Readiness } from './health.ts'
export { type ProcessCommand, type ProcessContext, runProcess, type Serving } from './process.ts'
