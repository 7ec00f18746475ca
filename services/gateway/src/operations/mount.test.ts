import { contract } from '@svc/contract/testing'
import { fakeTime } from '@svc/runtime/testing'
import { pino } from 'pino'
import t from 'tap'
import { openEdge } from '../http/edge.ts'
import { RefusalCounts } from '../identity/refusal-counts.ts'
import { RefusalLog } from '../identity/refusal-log.ts'
import { Uses } from '../identity/uses.ts'
import type { Replica } from '../replica/replica.ts'
import { mount } from './mount.ts'
import { RequestTraces } from './request-traces.ts'

const log = pino({ level: 'silent' })
const replica = {} as Replica

for (const [what, rpc, url, callMs] of [
  ['a change', 'CreateFlag', '/api/v1/namespaces/default/flags', 13_000],
  ['a slow call', 'Apply', '/api/v1/namespaces/default/apply', 20_000],
] as const) {
  t.test(`${what} is not given up while its service may still answer`, async (t) => {
    const operation = contract.operations.find(({ name }) => name === rpc)
    if (operation === undefined) throw new Error(`there is no ${rpc}`)
    const called = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<string>()
    const app = openEdge()
    t.teardown(() => app.close())
    const prepared = {
      namespaceKeys: [],
      answer() {
        called.resolve()
        return answer.promise
      },
    }
    mount(app, [operation], {
      log,
      replica,
      uses: new Uses(async () => {}),
      refusals: new RefusalLog(log, new RefusalCounts(async () => {})),
      identifierFor: () => () => undefined,
      loginGuard: () => {},
      traces: new RequestTraces(0),
      answererFor: () => () => ({ prepare: () => prepared }),
    })
    await app.ready()
    const pass = fakeTime(t)
    const asked = app.inject({ method: 'POST', url, payload: {} })
    await called.promise
    // A body may take 15 s to arrive, and its caller a second or two to be identified.
    await pass(15_000 + 2000 + callMs)
    answer.resolve('{}')
    t.equal((await asked).statusCode, 200)
  })
}
