import { status } from '@grpc/grpc-js'
import { type Attributes, fastHistogram } from '@svc/telemetry'

type Name = 'rpc.client.call.duration' | 'rpc.server.call.duration'

/** One histogram of a name for the process: a gateway has two channels. */
const histograms = new Map<Name, ReturnType<typeof fastHistogram>>()

/**
 * Beyond the limit of series the status is kept.
 *
 * @returns what takes the duration of a call of `/service/Method`, from `startedAt` of `performance.now()`
 */
export function measureCalls(name: Name) {
  const series = histograms.get(name) ?? fastHistogram(name, keepStatus)
  histograms.set(name, series)
  return (path: string, code: number, startedAt: number): void =>
    series({
      'rpc.method': path.slice(1),
      'rpc.response.status_code': status[code] ?? 'UNKNOWN',
    }).record((performance.now() - startedAt) / 1000)
}

function keepStatus(attributes: Attributes): Attributes {
  return { 'rpc.response.status_code': attributes['rpc.response.status_code'] }
}
