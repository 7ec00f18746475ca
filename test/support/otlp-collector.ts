import { spawn, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@svc/local/ports'
import { waitFor } from '@svc/runtime/testing'
import type { Test } from './listen.ts'

/** This file is test/dist/support/otlp-collector.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const sources = join(root, 'test/nightly/otlp-collector')
const cache = join(root, 'node_modules/.cache/otlp-collector')

/** How long its build may take, in milliseconds: some 200 packages of Go, on one slow processor. */
const buildTimeoutMs = 1_200_000

/** A span, as the collector prints it. */
export interface CollectedSpan {
  readonly service: string
  readonly traceId: string
  readonly parentId: string
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly attributes: Readonly<Record<string, string>>
}

/**
 * Builds the collector of OpenTelemetry, once, from its modules.
 *
 * @returns its program; nothing where there is no Go, or the modules are not to be had
 */
export function buildCollector(): string | undefined {
  const files = ['main.go', 'go.mod', 'go.sum'].map((name) => readFileSync(join(sources, name)))
  const program = join(cache, hash('sha256', Buffer.concat(files), 'hex').slice(0, 16))
  if (existsSync(program)) return program
  mkdirSync(cache, { recursive: true })
  const unfinished = `${program}.${process.pid}`
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-mod=readonly']
  const { status } = spawnSync('go', ['build', ...flags, '-o', unfinished, '.'], {
    cwd: sources,
    env: { ...process.env, GOTOOLCHAIN: 'local', GOWORK: 'off', CGO_ENABLED: '0' },
    stdio: 'ignore',
    timeout: buildTimeoutMs,
  })
  if (status !== 0) return undefined
  renameSync(unfinished, program)
  return program
}

/** Runs the collector for a test. @returns its URL, and what it was sent and has understood */
export async function startCollector(t: Test, program: string, directory: string) {
  const port = await findFreePort()
  const config = join(directory, 'collector.json')
  writeFileSync(config, JSON.stringify(configOf(port)))
  const child = spawn(program, ['--config', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const lines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
  await waitFor(() => lines.some((line) => line.includes('Everything is ready')))
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    spans: (): readonly CollectedSpan[] => readSpans(lines),
  }
}

/** It prints each span and each point of a metric, a line an attribute. */
const configOf = (port: number) => ({
  receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
  exporters: { debug: { verbosity: 'detailed' } },
  service: {
    telemetry: { metrics: { level: 'none' } },
    pipelines: {
      traces: { receivers: ['otlp'], exporters: ['debug'] },
      metrics: { receivers: ['otlp'], exporters: ['debug'] },
    },
  },
})

type Fields = { -readonly [Name in keyof CollectedSpan]: CollectedSpan[Name] } & {
  attributes: Record<string, string>
}

const names: Readonly<Record<string, 'traceId' | 'parentId' | 'id' | 'name' | 'kind'>> = {
  'Trace ID': 'traceId',
  'Parent ID': 'parentId',
  ID: 'id',
  Name: 'name',
  Kind: 'kind',
}

function readSpans(lines: readonly string[]): readonly CollectedSpan[] {
  const spans: Fields[] = []
  let service = ''
  let span: Fields | undefined
  for (const line of lines) {
    if (line.startsWith('Resource attributes')) span = undefined
    const [, key, value = ''] = /^ +-> ([^:]+): \w+\((.*)\)$/.exec(line) ?? []
    if (key === 'service.name') service = value
    if (key !== undefined && span !== undefined) span.attributes[key] = value
    if (/^Span #\d+$/.test(line)) {
      span = { service, traceId: '', parentId: '', id: '', name: '', kind: '', attributes: {} }
      spans.push(span)
    }
    const [, label = '', text = ''] = /^ {4}(\w+(?: ID)?) *: ?(.*)$/.exec(line) ?? []
    const field = names[label]
    if (span !== undefined && field !== undefined) span[field] ||= text
  }
  return spans
}
