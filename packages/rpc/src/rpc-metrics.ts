import { status } from '@grpc/grpc-js'
import { histogram } from '@svc/telemetry'

/** @returns what takes the duration of a call of `/service/Method`, from `startedAt` of `performance.now()` */
export function measureCalls(name: 'rpc.client.call.duration' | 'rpc.server.call.duration') {
  const durations = histogram(name)
  return (path: string, code: number, startedAt: number): void =>
    durations.record((performance.now() - startedAt) / 1000, {
      'rpc.method': path.slice(1),
      'rpc.response.status_code': status[code] ?? 'UNKNOWN',
    })
}
