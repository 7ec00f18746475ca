export { chain, type MaybePromise, onFailure } from './chain.ts'
export {
  AppError,
  alreadyExists,
  alternatives,
  type ErrorCode,
  invalidArgument,
  invalidField,
  notFound,
  preconditionFailed,
  preconditionReasons,
  SettingsError,
  unavailable,
} from './errors.ts'
export { EventLoopScheduler } from './event-loop-scheduler.ts'
export { splitHosts } from './hosts.ts'
export { Limiter, type LimiterOptions } from './limiter.ts'
export { LogThrottle } from './log-throttle.ts'
export { createLogger, type Logger, type LogSettings } from './logging.ts'
export { maxEntries } from './lru.ts'
export { ResumeQueue } from './resume-queue.ts'
export { backoffMs, every, type Running, startAll, startEvery } from './run.ts'
export { Secret } from './secret.ts'
export { version } from './version.ts'
