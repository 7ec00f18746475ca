import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Flags } from '@svc/client'
import { waitFor } from '@svc/runtime/testing'
import type { Test } from 'tap'
import { createFlag } from './api.ts'
import { startOrchestratorApi } from './orchestrator-api.ts'
import { startStack } from './stack.ts'
import { type ExchangeProxy, type Kubelet, startExchangeProxy, startKubelet } from './workload.ts'

export interface WorkloadRun {
  readonly evaluations: number
  /** Evaluations with an error or from stale flags, and errors that were reported; the first hundred. */
  readonly failures: readonly string[]
  /** How long each change took to be at each client, in milliseconds. */
  readonly changesMs: readonly number[]
  readonly clients: readonly {
    readonly mode: Flags['mode']
    readonly proxy: ExchangeProxy
    readonly kubelet: Kubelet
  }[]
}

const account = 'shop:client'
const evaluateEachMs = 10

/**
 * Two workloads with tokens of a short life, one that evaluates by itself and one that asks, against a real stack and
 * a cluster that gives them new tokens. Meanwhile flags are evaluated and changed.
 *
 * @param seconds that the tokens of the cluster are good for, and so those of the clients
 */
export async function runWorkloads(
  t: Test,
  { seconds, durationMs }: { readonly seconds: number; readonly durationMs: number },
): Promise<WorkloadRun> {
  const api = await startOrchestratorApi(t)
  const stack = await startStack(t, { env: api.env })
  const flag = await createFlag(stack.api, 'checkout')
  const failures: string[] = []
  const fail = (what: string) => {
    if (failures.length < 100) failures.push(what)
  }
  const folder = t.testdir({})
  const clients = await Promise.all(
    (['local', 'remote'] as const).map(async (mode) => {
      const proxy = await startExchangeProxy(t, stack.urls[0])
      const kubelet = await startKubelet(t, api, { file: join(folder, mode), account, seconds })
      const { file } = kubelet
      const options = { url: proxy.url, credential: { serviceAccount: { file } } }
      const flags: Flags = await (mode === 'local'
        ? connect(options)
        : connect({ ...options, mode }))
      t.teardown(() => flags.close())
      flags.on('error', ({ message }) => fail(`${mode}: ${message}`))
      return { mode, proxy, kubelet, flags }
    }),
  )

  let evaluations = 0
  const timer = setInterval(() => {
    for (const { mode, flags } of clients) {
      const { error, isStale } = flags.evaluate('checkout')
      evaluations += 1
      if (error !== undefined || isStale) fail(`${mode}: ${error ?? 'stale'} at ${flags.revision}`)
    }
  }, evaluateEachMs)
  const changesMs: number[] = []
  const endsAt = performance.now() + durationMs
  try {
    for (let enabled = false; performance.now() < endsAt; enabled = !enabled) {
      await sleep((seconds * 1000) / 4)
      const { status } = await stack.api('PUT', '/api/v1/flags/checkout', { ...flag, enabled })
      if (status !== 200) fail(`change: ${status}`)
      const changedAt = performance.now()
      await Promise.all(
        clients.map(async ({ flags }) => {
          await waitFor(() => flags.boolean('checkout', undefined, !enabled) === enabled)
          changesMs.push(performance.now() - changedAt)
        }),
      )
    }
  } finally {
    clearInterval(timer)
  }
  return { evaluations, failures, changesMs, clients }
}
