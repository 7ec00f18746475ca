import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t from 'tap'
import { generatedRequests } from '../support/generate-requests.ts'
import { type Answer, call } from '../support/http.ts'
import { type NamedOperation, type OpenApiDocument, operationsOf } from '../support/openapi.ts'
import { startStack } from '../support/stack.ts'

const requests = 10_000

/** At a time: enough to keep the services busy, and to have requests meet each other. */
const parallel = 8

/** Stack traces, SQL, and what a database says of itself. */
const internals =
  /\n\s+at |node_modules|\.[jt]s:\d+|\b(SELECT|INSERT INTO|DELETE FROM)\b|violates|relation "|syntax error at|undefined is not|Cannot read prop/

t.test(`${requests} generated requests`, async (t) => {
  const { urls, api, token } = await startStack(t)
  await api('POST', '/api/v1/namespaces', { key: 'other', name: 'Other' })
  for (const namespace of ['default', 'other']) {
    const base = `/api/v1/namespaces/${namespace}`
    await api('POST', `${base}/flags`, { key: 'switch', name: 'S', type: 'BOOLEAN_FLAG_TYPE' })
    await api('POST', `${base}/flags`, { key: 'color', name: 'C' })
    await api('POST', `${base}/flags/color/variants`, { key: 'blue' })
    await api('POST', `${base}/segments`, { key: 'everyone', name: 'E' })
  }
  const document = (await call(urls[0], 'GET', '/openapi.json')).body as OpenApiDocument
  const validator = createValidator(document)
  // It would end the token that all requests carry.
  const operations = operationsOf(document)
    .filter(({ path }) => !path.endsWith('/self/expire'))
    // A stream does not end.
    .filter(({ responses }) => !JSON.stringify(responses).includes('text/event-stream'))
  // The same requests each time, so that a failure belongs to a change; another number, other requests.
  const seed = Number(process.env.FUZZ_SEED ?? 20_261_121)
  t.comment(`FUZZ_SEED=${seed}`)
  const generated = fc.sample(generatedRequests(document, operations), {
    numRuns: requests,
    seed,
  })

  const statuses: Record<number, number> = {}
  const findings: string[] = []
  const next = generated[Symbol.iterator]()
  const work = async () => {
    for (const { operation, path, body } of { [Symbol.iterator]: () => next }) {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await call(urls[0], operation.method, path, body, headers)
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      const finding = judge(operation, answer)
      if (finding !== undefined) {
        const sent = `${operation.method} ${path} ${body ?? ''}`.slice(0, 600)
        findings.push(`${finding}\n  ${sent}\n  ${answer.status} ${answer.text.slice(0, 300)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))

  t.comment(`by status: ${JSON.stringify(statuses)}; ${findings.length} findings`)
  t.strictSame(findings.slice(0, 10), [])
  t.ok((statuses[200] ?? 0) > requests / 20, 'enough of them are accepted')

  function judge(operation: NamedOperation, answer: Answer): string | undefined {
    if (answer.status >= 500) return 'a fault of the service'
    if (internals.test(answer.text)) return 'shows internals'
    if (!(String(answer.status) in operation.responses)) return 'a status that is not documented'
    return validator(operation, answer)
  }
})

function createValidator(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'openapi')
  return ({ path, method, responses }: NamedOperation, answer: Answer): string | undefined => {
    const response = responses[answer.status]
    const pointer =
      response?.$ref?.slice(1) ??
      `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${answer.status}`
    const validate = ajv.getSchema(`openapi#${pointer}/content/application~1json/schema`)
    if (validate === undefined) return answer.text === '' ? undefined : 'a body with no schema'
    return validate(answer.body) ? undefined : `invalid: ${ajv.errorsText(validate.errors)}`
  }
}

/** As a part of a JSON pointer in a URL. */
function escaped(text: string): string {
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))
}
