import t from 'tap'
import { connect } from './node/connect.ts'
import { refuse, startFlagServer } from './testing/flag-server.ts'
import { recordsText } from './testing/records-text.ts'

t.test('a revision is awaited where no stream works, too', async (t) => {
  let revision = 41
  const server = await startFlagServer(t, ({ url, headers }, response) => {
    if (url.endsWith('/stream')) refuse(response, 503, 'there are too many streams')
    else if (headers['if-none-match'] === `"${revision}"`) response.writeHead(304).end()
    else response.end(`${recordsText({ revision })}\n`)
  })
  const flags = await connect({ url: server.url, logger: { warn() {} } })
  t.teardown(() => flags.close())
  setTimeout(() => {
    revision = 42
  }, 100)
  await flags.waitFor('default:42', { timeoutMs: 5000 })
  t.equal(flags.revision, 42)
})
