/** One event, as it came. */
export interface ReceivedEvent {
  readonly id: string | undefined
  readonly data: unknown
}

export interface EventSourceClient {
  readonly status: number
  readonly headers: Headers
  /** Everything that has come so far. */
  readonly text: () => string
  /** Those of it that are events. */
  readonly events: () => readonly ReceivedEvent[]
  /** Resolves when the stream has ended: whether in good order. */
  readonly ended: Promise<boolean>
  close(): void
}

/** Opens a stream of events (SSE) and collects what comes. */
export async function openEvents(
  t: { teardown(work: () => void): void },
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventSourceClient> {
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  const response = await fetch(url, { headers, signal: leaving.signal })
  let text = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
  }
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    events: () => text.split('\n\n').slice(0, -1).flatMap(toEvent),
    ended: read().then(
      () => true,
      () => false,
    ),
    close: () => leaving.abort(),
  }
}

function toEvent(block: string): ReceivedEvent[] {
  const data = /^data: (.*)$/m.exec(block)?.[1]
  return data === undefined ? [] : [{ id: /^id: (.*)$/m.exec(block)?.[1], data: JSON.parse(data) }]
}
