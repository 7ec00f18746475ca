import { startRelay } from '@svc/test/support/relay'
import type { Run } from '../row.ts'

/** A way to a service that counts what the service sends. */
export interface MeteredLink {
  readonly address: string
  readonly bytes: number
}

export async function startMeteredLink(run: Run, port: number): Promise<MeteredLink> {
  let bytes = 0
  const relay = await startRelay(run, { host: '127.0.0.1', port }, (far) =>
    far.on('data', (chunk) => (bytes += chunk.length)),
  )
  return {
    address: `127.0.0.1:${relay}`,
    get bytes() {
      return bytes
    },
  }
}
