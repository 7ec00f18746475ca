import { bool, duration, section } from '@svc/config/kinds'

/** Timers of Node.js count milliseconds in 31 bits: a longer one fires at once, again and again. */
export const longestTimerMs = 2 ** 31 - 1

/** When expired records of a method are deleted. */
export const cleanup = (records: string) =>
  section({
    interval: duration(longestTimerMs)
      .prefault('1h')
      .describe(`How often expired ${records} are deleted.`),
    gracePeriod: duration()
      .prefault('30m')
      .describe(`How long expired ${records} are kept before they may be deleted.`),
  })

export const tokenManagement = (callers: string) =>
  bool(false).describe(`Whether ${callers} may create, list and delete tokens, and end sessions.`)
