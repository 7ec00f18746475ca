import type { Writable } from 'node:stream'
import type { Output } from './start.output.ts'

/** For programs: nothing but log lines in JSON, those of the services among them. */
export function jsonOutput(stream: Writable): Output {
  const log = (level: string, msg: string, fields: object = {}) => {
    const time = new Date().toISOString()
    stream.write(`${JSON.stringify({ level, time, service: 'local', msg, ...fields })}\n`)
  }
  return {
    step: (what, details, tookMs) => log('info', what, { details, tookMs: Math.round(tookMs) }),
    warn: (sentence) => log('warn', sentence),
    pass: (service, line) => stream.write(`${toEntry(service, line)}\n`),
    // Of the token, the line of the auth service has told.
    ready: ({ url, dataDirectory, tookMs }) =>
      log('info', 'ready', {
        url,
        api: `${url}/api/v1`,
        docs: `${url}/docs`,
        data: dataDirectory,
        tookMs: Math.round(tookMs),
      }),
  }
}

/** A log line as it is; anything else, such as what Node.js prints when it dies, made into one. */
export function toEntry(service: string, line: string): string {
  if (parseEntry(line) !== undefined) return line
  const time = new Date().toISOString()
  return JSON.stringify({ level: 'error', time, service, msg: line })
}

/** @returns the members of a log line, `undefined` when it is none */
export function parseEntry(line: string): Record<string, unknown> | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return undefined
    return { ...entry }
  } catch {
    return undefined
  }
}
