// Exchanges the token of its service account by the client, and has the gateway evaluate without end. What came of
// it is at port 3000.
import { createServer } from 'node:http'
import { connect } from '@svc/client'

const { FLAGS_URL, FLAGS_TOKEN_FILE, FLAG } = process.env
/** Each evaluation is a request, so that each needs a client token that is valid. */
const everyMs = 100

const state = { readyAfterMs: 0, evaluations: 0, failed: 0, exchanges: 0, refused: 0, errors: [] }
const note = (error) => {
  if (state.errors.length < 20) state.errors.push(String(error))
}

/** When the client token expires; an exchange after that is late. */
let expiresAtMs = Number.POSITIVE_INFINITY
async function countingFetch(url, options) {
  const response = await fetch(url, options)
  if (String(url).endsWith('/auth/v1/method/orchestrator/serviceaccount') && response.ok) {
    state.exchanges += 1
    if (Date.now() > expiresAtMs) note(new Error('a client token was renewed after it had expired'))
    const { authentication } = await response.clone().json()
    expiresAtMs = Date.parse(authentication.expiresAt)
  } else if (response.status === 401) {
    state.refused += 1
  }
  return response
}

const startedAt = performance.now()
const flags = await connect({
  url: FLAGS_URL,
  mode: 'remote',
  credential: { serviceAccount: { file: FLAGS_TOKEN_FILE } },
  fetch: countingFetch,
})
state.readyAfterMs = Math.round(performance.now() - startedAt)
flags.on('error', note)

async function evaluate() {
  state.evaluations += 1
  try {
    await flags.setContext({ entityId: `entity-${state.evaluations}` })
    if (!flags.boolean(FLAG, undefined, false)) throw new Error('the flag is off')
  } catch (error) {
    state.failed += 1
    note(error)
  }
  setTimeout(evaluate, everyMs)
}
void evaluate()

createServer((_request, response) => response.end(JSON.stringify(state))).listen(3000)
