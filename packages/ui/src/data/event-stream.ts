/** An event of a stream. */
export interface StreamEvent {
  readonly id: string
  readonly data: string
}

/**
 * Reads server-sent events (HTML standard, 9.2). `EventSource` is not used: it sends no headers, and hides
 * the status of an answer.
 *
 * @param onEvent also gets ids without data, which streams of this service begin with
 */
export async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const parse = createEventParser(onEvent)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    parse(value)
  }
}

/** @returns what takes the text of a stream, in whatever pieces it comes */
export function createEventParser(onEvent: (event: StreamEvent) => void): (text: string) => void {
  let rest = ''
  let id: string | undefined
  let data: string[] = []
  return (text) => {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (id !== undefined || data.length > 0) onEvent({ id: id ?? '', data: data.join('\n') })
        id = undefined
        data = []
        continue
      }
      const colon = line.indexOf(':')
      const name = colon === -1 ? line : line.slice(0, colon)
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (name === 'id') id = value
      else if (name === 'data') data.push(value)
    }
  }
}
