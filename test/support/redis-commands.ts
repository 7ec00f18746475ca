import { connect } from 'node:net'

/**
 * Does one thing to a Redis, by a connection of its own.
 *
 * @returns the reply: texts in a list, one for each part of it
 * @throws {Error} with what Redis says, when it refuses
 */
export async function redisCommand(port: number, ...args: readonly string[]): Promise<string[]> {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`)
  const socket = connect({ port, host: '127.0.0.1' })
  socket.setTimeout(5000, () => socket.destroy(new Error('no answer in 5 s')))
  socket.write(`*${args.length}\r\n${parts.join('')}*1\r\n$4\r\nQUIT\r\n`)
  const chunks: Buffer[] = []
  for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk)
  return readReply(Buffer.concat(chunks))
}

/** Of the forms that a reply may have: errors, single lines, numbers, texts, and lists of texts. */
function readReply(bytes: Buffer): string[] {
  let at = 0
  const line = () => {
    const end = bytes.indexOf('\r\n', at)
    const text = bytes.toString('utf8', at, end)
    at = end + 2
    return text
  }
  const value = (): string[] => {
    const head = line()
    const rest = head.slice(1)
    if (head.startsWith('-')) throw new Error(rest)
    if (head.startsWith('*')) return Array.from({ length: Number(rest) }, value).flat()
    if (!head.startsWith('$')) return [rest]
    const length = Number(rest)
    if (length < 0) return []
    const text = bytes.toString('utf8', at, at + length)
    at += length + 2
    return [text]
  }
  return value()
}
