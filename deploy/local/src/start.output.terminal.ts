import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { LogFile } from './start.log.ts'
import { toEntry } from './start.output.json.ts'
import type { Output } from './start.output.ts'
import { seconds, summarize } from './start.summary.ts'

/** For a person: a few aligned lines. What the services write goes to a file. */
export function terminalOutput(
  terminal: Writable,
  { version, colour, logFile }: { version: string; colour: boolean; logFile: LogFile },
): Output {
  const styled = (format: 'bold' | 'green' | 'yellow') => (text: string) =>
    colour ? styleText(format, text, { validateStream: false }) : text
  const say = (text: string) => terminal.write(`${text}\n`)
  say(`\n  ${styled('bold')(`svc ${version}`)}  on this machine only, not for production\n`)
  return {
    step(what, details, tookMs) {
      const took = seconds(tookMs).padStart(7)
      say(`  ${styled('green')('✔')} ${what.padEnd(30)} ${details.padEnd(35)} ${took}`.trimEnd())
    },
    warn: (sentence) => say(`  ${styled('yellow')('!')} ${sentence}`),
    pass: (service, line) => logFile.write(toEntry(service, line)),
    ready: (facts) => say(summarize(facts, styled('bold'))),
  }
}
