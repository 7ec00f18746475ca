export type { Readiness } from './monitoring.ts'
export { type ProcessCommand, type ProcessContext, runProcess, type Serving } from './process.ts'
