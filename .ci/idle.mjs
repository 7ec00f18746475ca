import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { containers, docker, inspect } from './stack.mjs'

/**
 * CPU shares of the idle containers, in percent of one processor: their probes, heartbeats and jobs, as
 * the engine counts them for each control group.
 *
 * @returns names and percentages
 */
export async function idleShares(seconds) {
  const ids = await containers()
  const before = await Promise.all(ids.map(usedNs))
  const begunAt = performance.now()
  await sleep(seconds * 1000)
  const after = await Promise.all(ids.map(usedNs))
  const tookNs = (performance.now() - begunAt) * 1e6
  const names = await inspect('{{index .Config.Labels "com.docker.compose.service"}}', ...ids)
  return names
    .map((name, i) => ({ name, percent: (100 * (after[i] - before[i])) / tookNs }))
    .filter(({ percent }) => percent > 0)
    .toSorted((a, b) => b.percent - a.percent)
}

/** Processor time in nanoseconds; 0 for a container that has ended. */
async function usedNs(id) {
  const stats = await engine(`/containers/${id}/stats?stream=false&one-shot=true`)
  return stats.cpu_stats?.cpu_usage?.total_usage ?? 0
}

async function engine(path) {
  const host = await docker('context', 'inspect', '--format', '{{.Endpoints.docker.Host}}')
  const socketPath = host.trim().replace(/^unix:\/\//, '')
  return new Promise((resolve, reject) => {
    request({ socketPath, path, timeout: 10_000 }, (response) => resolve(json(response)))
      .once('error', reject)
      .end()
  })
}
