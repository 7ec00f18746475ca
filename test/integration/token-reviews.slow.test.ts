import t from 'tap'
import { call } from '../support/http.ts'
import { startOrchestratorApi } from '../support/orchestrator-api.ts'
import { startStack } from '../support/stack.ts'
import { furtherAnswers, type Outcome, recordedAnswers } from '../support/token-review-answers.ts'

const path = '/auth/v1/method/orchestrator/serviceaccount'
const allowList = 'SVC_AUTHENTICATION_METHODS_ORCHESTRATOR_SERVICE_ACCOUNTS'

const statusOf: Readonly<Record<Outcome, number>> = { admitted: 200, refused: 401, unknown: 503 }

t.test('whatever the API server answers, only what it confirms is let in', async (t) => {
  const api = await startOrchestratorApi(t)
  const stack = await startStack(t, { env: { ...api.env, [allowList]: 'shop:*' } })
  const serviceAccountToken = api.tokenOf('shop:client', { audiences: ['flags'] })
  const exchange = () => call(stack.urls[0], 'POST', path, { serviceAccountToken })
  const answers = [...recordedAnswers, ...furtherAnswers]
  let admitted = 0
  for (const { what, code, body, outcome } of answers) {
    api.fault = (_request, response) => {
      const location = code === 302 ? { location: api.url } : {}
      response.writeHead(code, { 'content-type': 'application/json', ...location })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    const answer = await exchange()
    t.equal(answer.status, statusOf[outcome], `${what}: ${answer.text}`)
    if (answer.status === 200 && outcome !== 'admitted') admitted += 1
    // Else a few faults in a row would be taken for an outage, and the API server not be asked.
    api.fault = undefined
    if (outcome === 'unknown') t.equal((await exchange()).status, 200, 'the next is let in')
  }
  t.comment(`${answers.length} answers, ${admitted} wrongly admitted`)
  t.equal(recordedAnswers.length, 13)
  t.ok(furtherAnswers.length >= 20)
  t.equal(admitted, 0)
})
