import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@svc/local/ports'
import { waitFor } from '@svc/runtime/testing'
import type { Test } from './listen.ts'

/** This file is test/dist/support/prometheus.js. */
export const observability = fileURLToPath(
  new URL('../../../deploy/observability', import.meta.url),
)

/** What a job is to scrape, by its name: `host:port` each. */
export type Targets = Readonly<Record<string, readonly string[]>>

/** Runs Prometheus with the rules of `deploy/observability` for a test; it scrapes each second. */
export async function startPrometheus(t: Test, directory: string, targets: Targets) {
  const port = await findFreePort()
  const config = join(directory, 'prometheus.json')
  writeFileSync(config, JSON.stringify(configOf(targets)))
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=warn',
  ]
  const child = spawn('prometheus', args, { stdio: 'ignore' })
  t.teardown(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const url = `http://127.0.0.1:${port}`
  await waitFor(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true)
  const get = async <Data>(path: string): Promise<Data> => {
    const answer = (await (await fetch(`${url}/api/v1/${path}`)).json()) as {
      readonly status: string
      readonly error?: string
      readonly data: Data
    }
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`)
    return answer.data
  }
  return {
    get,
    /** @returns the series that a query has now */
    async query(expression: string): Promise<readonly Series[]> {
      const parameters = new URLSearchParams({ query: expression })
      return (await get<{ readonly result: readonly Series[] }>(`query?${parameters}`)).result
    },
  }
}

export interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [at: number, text: string]
}

const configOf = (targets: Targets) => ({
  global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
  rule_files: [join(observability, 'alerts.yml')],
  scrape_configs: Object.entries(targets).map(([name, addresses]) => ({
    job_name: name,
    honor_labels: true,
    static_configs: [{ targets: addresses }],
  })),
})

/** What the dashboard and the alerts ask; `.ci` asks the same of the stack of Docker Compose. */
export const { alertMetrics, dashboardQueries } = (await import(
  new URL('../../../.ci/queries.mjs', import.meta.url).href
)) as {
  /** Metrics that every installation has. */
  alertMetrics(): readonly string[]
  /** With their variables filled in; rates are taken over an interval such as `1m`. */
  dashboardQueries(rateInterval: string): readonly (readonly [panel: string, expression: string])[]
}
