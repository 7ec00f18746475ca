import { SvcError } from '@svc/client/api'
import { exitCodes } from '../exit-codes.ts'
import { version } from '../version.ts'
import { spanText } from '../words.ts'
import { type Check, failed, ok, warning } from './finding.ts'

/** A gateway reports every 10 s when nothing changes, so that a current one seems to be older by that. */
const maxAgeMs = 30_000

export const gateways: Check = {
  name: 'gateways',
  async run({ api, signal }) {
    const { gateways } = await api.gateways.list({}, { signal })
    if (gateways.length === 0) {
      return [
        warning('none has reported within the last minute', 'Look into the logs of the gateways.'),
      ]
    }
    const versions = [...new Set(gateways.map(({ version }) => version))].sort()
    const stale = gateways.filter(({ dataAgeMs }) => dataAgeMs > maxAgeMs)
    const count = `${gateways.length} ${gateways.length === 1 ? 'gateway' : 'gateways'}`
    return [
      versions.length === 1
        ? ok(`${count} of version ${versions[0]}; this is svc ${version}`)
        : warning(`${count} of versions ${versions.join(' and ')}`, 'Finish the update.'),
      ...stale.map(({ id, dataAgeMs }) =>
        warning(
          `${id} evaluates from what is ${spanText(dataAgeMs)} old`,
          'It does not reach the resource service: look into its log.',
        ),
      ),
    ]
  },
}

/** A heartbeat comes every 15 s. */
const heartbeatMs = 20_000

/** @param limitMs how long to wait for a heartbeat */
export function streamsWithin(limitMs: number): Check {
  return {
    name: 'streams',
    async run({ url, token, namespaceKey, signal }, update) {
      update('waiting for a heartbeat')
      const begun = performance.now()
      const timeout = AbortSignal.timeout(limitMs)
      try {
        const response = await fetch(
          `${url}/ofrep/v1/namespaces/${encodeURIComponent(namespaceKey)}/events`,
          {
            headers: {
              accept: 'text/event-stream',
              ...(token && { authorization: `Bearer ${token}` }),
            },
            signal: AbortSignal.any([signal, timeout]),
          },
        )
        if (!response.ok || response.body === null) {
          await response.body?.cancel()
          return [
            failed(
              `a stream of events is answered with HTTP ${response.status}`,
              response.status === 429 || response.status === 503
                ? 'The gateway has as many streams as it takes, or is behind: try again later.'
                : 'The credential may not evaluate here, or a proxy does not let it through.',
            ),
          ]
        }
        await readHeartbeat(response.body)
        const tookMs = performance.now() - begun
        return [
          ok(`a heartbeat came after ${spanText(tookMs)}: nothing on the way holds streams back`),
        ]
      } catch (error) {
        if (!timeout.aborted || signal.aborted) throw error
        return [
          warning(
            `no heartbeat within ${spanText(limitMs)}: a proxy on the way holds streams back`,
            'Turn off its buffering (nginx: `proxy_buffering off`) and let it wait for 60 s; clients poll until then.',
          ),
        ]
      }
    },
  }
}

export const streams = streamsWithin(heartbeatMs)

/** Reads until there is a line with nothing but a colon. */
async function readHeartbeat(body: ReadableStream<Uint8Array>): Promise<void> {
  let line = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    for (const character of chunk) {
      if (character !== '\n') line += character
      else if (line === ':') return
      else line = ''
    }
  }
  throw new Error('the stream ended before a heartbeat came')
}

interface Slice {
  readonly checked: number
  readonly next: number
  readonly fault: string
  readonly brokenAt?: number
  readonly unproven: readonly object[]
}

/** More are checked by `svc changes verify`. */
const maxSlices = 100

export const chains: Check = {
  name: 'chains',
  async run(context, update) {
    const { api, namespaceKey, signal } = context
    const ofChanges = await verify(
      `the history of ${namespaceKey}`,
      (after) => api.changes.verify({ namespaceKey, after }, { signal }),
      update,
    )
    const ofEvents = await verify(
      'the log of events',
      (after) => api.events.verify({ after }, { signal }),
      update,
    ).catch((error: unknown) => {
      // For a credential that is bound to a namespace the history is all there is to check.
      if (error instanceof SvcError && error.status === 403) return []
      throw error
    })
    return [...ofChanges, ...ofEvents]
  },
}

async function verify(
  what: string,
  next: (after: number) => Promise<Slice>,
  update: (state: string) => void,
) {
  let after = 0
  let checked = 0
  let unproven = 0
  for (let slices = 0; slices < maxSlices; slices++) {
    update(`${what}: ${checked} checked`)
    const slice = await next(after)
    checked += slice.checked
    unproven += slice.unproven.length
    if (slice.brokenAt !== undefined) {
      return [
        failed(
          `${what} was changed afterwards: ${slice.fault}`,
          'Keep a copy of the database, and find out who could write to it: docs/history.md.',
          exitCodes.differences,
        ),
      ]
    }
    after = slice.next
    if (after === 0) break
  }
  if (unproven > 0) {
    return [
      warning(
        `${what} has entries that prove nothing: the key that they were made with is not known`,
        'Was `changes.key` exchanged or set later? docs/history.md says what that means.',
      ),
    ]
  }
  return [
    ok(
      `${what} is as it was written${after === 0 ? '' : `, as far as ${after}`} (${checked} entries)`,
    ),
  ]
}
