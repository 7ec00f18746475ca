import { pino } from 'pino'
import t from 'tap'
import { openEdge } from './edge.ts'
import { addRequestLog } from './request-log.ts'

t.test(
  'the line of a request counts from its arrival, also when it waited to be served',
  async (t) => {
    const waitedMs = 500
    const lines: Record<string, unknown>[] = []
    const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
    const arrivedAt = performance.now() - waitedMs
    const app = openEdge({ log, arrivalOf: () => arrivedAt })
    t.teardown(() => app.close())
    addRequestLog(app)
    app.get('/flags', async () => 'none')
    await app.inject('/flags')
    const line = lines.find(({ msg }) => msg === 'answered')
    t.match(line, { method: 'GET', route: '/flags', status: 200 })
    t.ok(Number(line?.durationMs) >= waitedMs)
  },
)
