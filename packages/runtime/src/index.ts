export {
  AppError,
  alreadyExists,
  alternatives,
  type ErrorCode,
  invalidArgument,
  invalidField,
  notFound,
  SettingsError,
  unavailable,
} from './errors.ts'
export { EventLoopScheduler } from './event-loop-scheduler.ts'
export { createLogger, type Logger, type LogSettings } from './logging.ts'
export { backoffMs, every, type Running, startEvery, startParts } from './run.ts'
export { redactedSettings, redactUrl, Secret } from './secret.ts'
export { Seldom } from './seldom.ts'
export { version } from './version.ts'
