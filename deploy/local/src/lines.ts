import type { Readable } from 'node:stream'

/** The longest line that is kept whole; our services write a few kilobytes at most. */
const maxLineLength = 64 * 1024

/** Calls back with each line of a text stream; what is longer than the limit comes in pieces. */
export function onLines(stream: Readable, accept: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) accept(line)
    for (; rest.length > maxLineLength; rest = rest.slice(maxLineLength)) {
      accept(rest.slice(0, maxLineLength))
    }
  })
  stream.on('end', () => {
    if (rest !== '') accept(rest)
  })
}
