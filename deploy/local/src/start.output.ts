import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { version } from '@svc/runtime'
import { appendToLog } from './start.log.ts'
import { type StartFacts, seconds, summarize } from './start.summary.ts'

/** What the launcher and the services report. */
export interface Output {
  /** A part of the start that is done. */
  step(what: string, details: string, tookMs: number): void
  /** Something that went another way than planned; one line. */
  warn(sentence: string): void
  /** A line that a service wrote. */
  pass(service: string, line: string): void
  ready(facts: StartFacts): void
}

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
    // Without the token: a line of the auth service has it.
    ready: ({ url, dataDirectory, tookMs }) =>
      log('info', 'ready', {
        ...{ url, api: `${url}/api/v1`, docs: `${url}/docs`, data: dataDirectory },
        tookMs: Math.round(tookMs),
      }),
  }
}

/** For a terminal: a few aligned lines. What the services write goes to a file. */
export function terminalOutput(terminal: Writable, logFile: string): Output {
  // Plain where the terminal has no colours, and where NO_COLOR is set.
  const styled = (format: 'bold' | 'green' | 'yellow', text: string) =>
    styleText(format, text, { stream: terminal })
  const say = (text: string) => terminal.write(`${text}\n`)
  say(`\n  ${styled('bold', `svc ${version}`)}  on this machine only, not for production\n`)
  return {
    step(what, details, tookMs) {
      const took = seconds(tookMs).padStart(7)
      say(`  ${styled('green', '✔')} ${what.padEnd(30)} ${details.padEnd(35)} ${took}`)
    },
    warn: (sentence) => say(`  ${styled('yellow', '!')} ${sentence}`),
    pass: (service, line) => appendToLog(logFile, toEntry(service, line)),
    ready: (facts) => say(summarize(facts, (text) => styled('bold', text))),
  }
}

/** A log line as it is. Anything else, such as the stack trace of a crash, is made into one. */
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
