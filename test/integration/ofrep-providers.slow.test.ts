import { readFileSync } from 'node:fs'
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider'
import { type JsonValue, OpenFeature, ProviderEvents, ProviderStatus } from '@openfeature/web-sdk'
import type { VectorDocument } from '@svc/evaluation/testing'
import { EventSource } from 'eventsource'
import t from 'tap'
import { readFixture } from '../support/fixtures.ts'
import { loadDocument } from '../support/load-document.ts'
import { type Language, languages, runProgram, runSource } from '../support/ofrep-providers.ts'
import { startStack } from '../support/stack.ts'

/** This file is test/dist/integration/ofrep-providers.slow.test.js. */
const guide = readFileSync(new URL('../../../docs/ofrep.md', import.meta.url), 'utf8')

/** Those whose packages `npm test` has found or installed. */
const installed = (process.env.SVC_TEST_OFREP_PROVIDERS ?? '').split(',')

/** Flags with values of every type, and what the examples of the guide ask for. */
const { document, example } =
  readFixture<Record<'document' | 'example', VectorDocument>>('ofrep-providers')

interface Case {
  readonly type: 'boolean' | 'string' | 'integer' | 'float' | 'object'
  readonly key: string
  readonly fallback: JsonValue
}

interface Result {
  readonly value: JsonValue
  readonly variant?: string
  readonly reason: string
  readonly error?: string | null
}

/** Each with what is served. */
const served: readonly (readonly [Case, JsonValue])[] = [
  [{ type: 'boolean', key: 'switch', fallback: false }, true],
  [{ type: 'string', key: 'color', fallback: 'green' }, 'one'],
  [
    { type: 'object', key: 'theme', fallback: {} },
    { color: 'blue', sizes: [1, 2] },
  ],
  [{ type: 'object', key: 'list', fallback: [] }, ['a', 'b']],
  [{ type: 'integer', key: 'limit', fallback: 1 }, 10],
  [{ type: 'float', key: 'ratio', fallback: 1.5 }, 0.5],
  [{ type: 'string', key: 'greeting', fallback: 'bye' }, 'hello'],
]

/** Where applications keep their own default. */
const unserved: readonly Case[] = [
  { type: 'string', key: 'none', fallback: 'green' },
  { type: 'integer', key: 'none', fallback: 7 },
  { type: 'object', key: 'none', fallback: { color: 'green' } },
  { type: 'object', key: 'none-typed', fallback: { color: 'green' } },
  { type: 'float', key: 'none-typed', fallback: 1.5 },
  { type: 'object', key: 'bare', fallback: { color: 'green' } },
  { type: 'string', key: 'off', fallback: 'green' },
]

/**
 * What a provider makes of an answer without a value, where it does not know of one. Its protocol has
 * had such answers since these versions were made.
 */
const misunderstood: Readonly<Record<Language['name'], (item: Case) => Partial<Result>>> = {
  python: () => ({}),
  node: () => ({ reason: 'ERROR', error: 'GENERAL' }),
  go({ type, key }) {
    if (key === 'off') return {}
    return type === 'object' ? { value: null } : { reason: 'ERROR', error: 'TYPE_MISMATCH' }
  },
}

const reasonOf = ({ key }: Case) =>
  key === 'off' ? 'DISABLED' : key === 'bare' ? 'DEFAULT' : 'UNKNOWN'

t.test('OFREP providers', async (t) => {
  // A wrong credential is refused all the same, and what has none is a page.
  const env = { SVC_AUTHENTICATION_EXCLUDE_OFREP: 'true' }
  const { api, urls, token } = await startStack(t, { env })
  const [url] = urls
  await loadDocument(api, document)
  await loadDocument(api, example)
  const headers = {
    Authorization: `Bearer ${token}`,
    'X-Svc-Namespace': 'shop',
    'X-Svc-Value': 'attachment',
  }
  const context = { targetingKey: 'alice', country: 'DE' }

  for (const language of languages) {
    const isMissing = !installed.includes(language.name) && 'its packages are not installed'
    await t.test(language.name, { skip: isMissing }, async (t) => {
      const ask = async (cases: readonly Case[], more = {}) => {
        const all = { ...headers, ...more }
        const { stdout, stderr } = await runProgram(language, { url, headers: all, context, cases })
        t.equal(stderr, '', 'nothing is logged')
        const results = JSON.parse(stdout) as Result[]
        return results.map(({ error, ...rest }) => ({ ...rest, ...(error && { error }) }))
      }

      await t.test('has values of every type', async (t) => {
        const results = await ask(served.map(([item]) => item))
        for (const [i, [{ key }, value]] of served.entries()) {
          t.match(results[i], { value, reason: 'DEFAULT' }, key)
          t.notOk(results[i]?.error)
        }
      })

      await t.test('leaves applications their default where nothing is served', async (t) => {
        const results = await ask(unserved)
        for (const [i, item] of unserved.entries()) {
          const expected = { value: item.fallback, reason: reasonOf(item), error: undefined }
          const actual = { error: undefined, ...results[i] }
          t.match(actual, { ...expected, ...misunderstood[language.name](item) }, item.key)
        }
      })

      await t.test('reports in its details a token that is wrong', async (t) => {
        const items = served.map(([item]) => item)
        const results = await ask(items, { Authorization: 'Bearer wrong' })
        for (const [i, { key, fallback }] of items.entries()) {
          t.match(results[i], { value: fallback, reason: 'ERROR', error: 'GENERAL' }, key)
        }
      })

      await t.test('runs the example of the guide', async (t) => {
        const source = exampleOf({ node: 'Node.js', python: 'Python', go: 'Go' }[language.name])
        const { stdout, stderr } = await runSource(language, source.replaceAll(local, url), {
          SVC_TOKEN: token,
        })
        t.match(stdout, /blue/)
        t.equal(stderr, '')
      })
    })
  }

  await t.test('browser', async (t) => {
    // As a browser has it: without a way to send headers.
    Object.assign(globalThis, { EventSource })
    const logged: unknown[] = []
    const log = (...line: unknown[]) => logged.push(line)
    OpenFeature.setLogger({ debug() {}, info() {}, warn: log, error: log })
    t.teardown(() => OpenFeature.close())
    const open = (domain: string, more = {}) => {
      const provider = new OFREPWebProvider({
        baseUrl: url,
        headers: Object.entries({ ...headers, ...more }),
        cacheMode: 'disabled',
      })
      // The types of the provider have hooks that may be undefined, those of the SDK do not.
      return OpenFeature.setProviderAndWait(domain, Object.assign(provider, { hooks: [] }), context)
    }
    const askIn = (domain: string, { type, key, fallback }: Case) => {
      const client = OpenFeature.getClient(domain)
      if (type === 'boolean') return client.getBooleanDetails(key, fallback === true)
      if (type === 'string') return client.getStringDetails(key, String(fallback))
      if (type === 'object') return client.getObjectDetails(key, fallback)
      return client.getNumberDetails(key, Number(fallback))
    }

    await t.test('has values of every type, and the default where nothing is served', async (t) => {
      await open('shop')
      for (const [item, value] of served) {
        const { value: actual, errorCode } = askIn('shop', item)
        t.strictSame([actual, errorCode], [value, undefined], item.key)
      }
      for (const item of unserved.filter(({ key }) => key !== 'off')) {
        const { value, reason, errorCode } = askIn('shop', item)
        t.strictSame([value, reason, errorCode], [item.fallback, reasonOf(item), undefined])
      }
      t.strictSame(logged, [])
    })

    await t.test('reports a token that is wrong', async (t) => {
      const errors: unknown[] = []
      const client = OpenFeature.getClient('wrong')
      client.addHandler(ProviderEvents.Error, (details) => errors.push(details?.message))
      await t.rejects(open('wrong', { Authorization: 'Bearer wrong' }))
      t.equal(client.providerStatus, ProviderStatus.FATAL)
      t.equal(errors.length, 1)
    })

    await t.test('runs the example of the guide', async (t) => {
      const printed: unknown[] = []
      const source = exampleOf('In a browser').replaceAll(local, url)
      const names = ['OpenFeature', 'OFREPWebProvider', 'console']
      const body = source.replace(/^import .*$/gm, '')
      const run = new Function(...names, `return (async () => {${body}})()`)
      await run(OpenFeature, OFREPWebProvider, { log: (value: unknown) => printed.push(value) })
      t.strictSame(printed, [{ color: 'blue' }])
    })
  })
})

/** Where the examples find the service. */
const local = 'http://localhost:8080'

/** The code below a heading of the guide. */
function exampleOf(heading: string): string {
  const [, section = ''] = guide.split(`\n### ${heading}\n`)
  const [, code = ''] = /```\w+\n(.*?)```/s.exec(section) ?? []
  if (!code.includes(local)) throw new Error(`there is no example for ${heading}`)
  return code
}
