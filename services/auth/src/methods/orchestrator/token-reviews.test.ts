import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { contextOf, within } from '@svc/telemetry'
import { recordSpans } from '@svc/telemetry/testing'
import t from 'tap'
import { settingsFor } from '../../auth.test.support.ts'
import { openTokenReviews, readOwnToken } from './token-reviews.ts'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const tokenFor = (aud: unknown) => `${encode({ alg: 'RS256' })}.${encode({ aud })}.c2ln`

t.test('the token of this service', async (t) => {
  const cluster = 'https://kubernetes.default.svc'
  const directory = t.testdir({
    token: `${tokenFor([cluster, 'k3s'])}\n`,
    opaque: 'a-token-that-says-nothing',
  })
  const settings = {
    ...settingsFor('postgres://svc@127.0.0.1/svc').authentication.methods.orchestrator,
    apiUrl: cluster,
    caFile: join(directory, 'ca.crt'),
    tokenFile: join(directory, 'token'),
    audience: 'flags',
    allowApiServerAudience: false,
  }

  await t.test('is what the file holds, without the line break at its end', async (t) => {
    t.equal(await readOwnToken(settings), tokenFor([cluster, 'k3s']))
    const tokenFile = join(directory, 'opaque')
    t.equal(await readOwnToken({ ...settings, tokenFile }), 'a-token-that-says-nothing')
  })

  await t.test(
    'detects that our audience is that of the API server, which is refused',
    async (t) => {
      for (const audience of [cluster, 'k3s']) {
        const own = { ...settings, audience }
        await t.rejects(readOwnToken(own), { name: 'ReviewError', message: /^audience is/ })
        await t.resolves(readOwnToken({ ...own, allowApiServerAudience: true }))
      }
    },
  )

  await t.test('is said to be missing, without its path', async (t) => {
    await t.rejects(readOwnToken({ ...settings, tokenFile: join(directory, 'gone') }), {
      message: 'token_file cannot be read (ENOENT)',
    })
  })

  await t.test('is not sent when the certificates to trust are missing', async (t) => {
    const review = await openTokenReviews(settings)
    await t.rejects(review(tokenFor('flags'), new AbortController().signal), {
      name: 'ReviewError',
      message: 'ca_file cannot be read (ENOENT)',
    })
  })

  await t.test('is sent with the span of the request as the parent', async (t) => {
    const spans = recordSpans(t)
    const parents: unknown[] = []
    const server = createServer((request, response) => {
      parents.push(request.headers.traceparent)
      response.end(JSON.stringify({ status: { authenticated: true } }))
    }).listen(0, '127.0.0.1')
    t.teardown(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const review = await openTokenReviews({ ...settings, apiUrl: `http://127.0.0.1:${port}` })
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const arrived = contextOf({ traceparent: `00-${traceId}-b7ad6b7169203331-01` })
    await within(arrived, () => review(tokenFor('flags'), new AbortController().signal))
    const [span] = spans()
    t.strictSame(parents, [`00-${traceId}-${span?.spanContext().spanId}-01`])
  })
})
