import { createServer, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen, type Test } from './listen.ts'

export interface OtlpReceiver {
  /** For `telemetry.otlp.endpoint`. */
  readonly url: string
  /** What it was sent, in the order of its arrival. */
  readonly received: readonly { readonly path: string; readonly body: Buffer }[]
}

/** What it does instead of an answer. */
export type OtlpFault = (response: ServerResponse) => void

/** Takes what exporters send by OTLP over HTTP, and keeps the bytes. */
export async function startOtlpReceiver(t: Test, fault?: OtlpFault): Promise<OtlpReceiver> {
  const received: { path: string; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    received.push({ path: request.url ?? '', body })
    if (fault === undefined) {
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    } else fault(response)
  })
  return { url: `http://127.0.0.1:${await listen(t, server)}`, received }
}
