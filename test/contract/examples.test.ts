import t from 'tap'
import { readFixture } from '../support/fixtures.ts'
import { startStack } from '../support/stack.ts'

type Request = readonly [method: string, path: string, body?: object]

interface Example {
  readonly name: string
  readonly before?: readonly Request[]
  readonly request: Request
  /** @default 200 */
  readonly status?: number
  readonly body?: unknown
  /** The example whose answer this one is, to the letter. */
  readonly sameAs?: string
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(\d{3}|\d{6}|\d{9}))?Z$/

/** Replaces what differs from run to run by its form, so that the rest can be compared literally. */
function withForms(text: string): string {
  return JSON.stringify(
    JSON.parse(text, (_key, value) => {
      if (typeof value === 'string' && uuid.test(value)) return '<id>'
      if (typeof value === 'string' && instant.test(value)) return '<instant>'
      return value
    }),
  )
}

t.test('the examples of the contract', async (t) => {
  const { api } = await startStack(t)
  const send = ([method, path, body]: Request) =>
    api(method, `/api/v1/namespaces/default${path}`, body)
  const texts = new Map<string, string>()
  for (const example of readFixture<readonly Example[]>('examples')) {
    await t.test(example.name, async (t) => {
      for (const request of example.before ?? []) t.equal((await send(request)).status, 200)
      const { status, headers, text } = await send(example.request)
      t.equal(status, example.status ?? 200)
      t.equal(headers.get('content-type')?.split(';')[0], 'application/json')
      texts.set(example.name, text)
      if (example.sameAs !== undefined) t.equal(text, texts.get(example.sameAs))
      else t.equal(withForms(text), JSON.stringify(example.body), 'fields in order')
    })
  }
})
