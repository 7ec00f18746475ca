import Fastify from 'fastify'
import t from 'tap'
import { clientAddressBehind } from './client-address.ts'

/** The address of a request from this machine that came with such a header. */
async function addressOf(forwardedFor: string | undefined, trustedProxies: string[]) {
  const app = Fastify()
  const addressOf = clientAddressBehind(trustedProxies)
  app.get('/', async ({ raw }) => ({ address: addressOf(raw) }))
  const headers = {
    'x-real-ip': '6.6.6.6',
    'true-client-ip': '6.6.6.6',
    forwarded: 'for=6.6.6.6',
    ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
  }
  return (await app.inject({ url: '/', headers })).json().address
}

const trusted = ['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8']

t.test('trusts no proxy by default', async (t) => {
  t.equal(await addressOf('203.0.113.9', []), '127.0.0.1')
  t.equal(await addressOf('127.0.0.1, 203.0.113.9', []), '127.0.0.1')
})

t.test('trusts a configured proxy, none before it, and every spelling of an address', async (t) => {
  t.equal(await addressOf(undefined, trusted), '127.0.0.1')
  t.equal(await addressOf('203.0.113.9', ['10.0.0.0/8']), '127.0.0.1')
  const chains = ['203.0.113.9', '6.6.6.6, 203.0.113.9', '6.6.6.6, 203.0.113.9, 10.1.2.3']
  const spellings = ['::ffff:203.0.113.9', '::FFFF:203.0.113.9', '203.0.113.9:4711']
  for (const sent of [...chains, ...spellings]) {
    t.equal(await addressOf(sent, trusted), '203.0.113.9', sent)
  }
  const ofV6 = ['2001:db8::1', '2001:db8::1, fd00::2', '[2001:db8::1]:4711', '[2001:db8::1]']
  for (const sent of ofV6) t.equal(await addressOf(sent, trusted), '2001:db8::1', sent)
})

t.test('knows nothing of what is no address', async (t) => {
  for (const text of ['unknown', '_hidden', 'evil', '1.2.3.4.5', '1.2.3.4:5:6', '[x]']) {
    t.equal(await addressOf(text, trusted), '', text)
  }
})

t.test('looks again when the proxy of a connection names another client', async (t) => {
  const app = Fastify()
  const addressOf = clientAddressBehind(trusted)
  app.get('/', async ({ raw }) => addressOf(raw))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  for (const client of ['203.0.113.1', '203.0.113.2', '203.0.113.1']) {
    const answer = await fetch(url, { headers: { 'x-forwarded-for': client } })
    t.equal(await answer.text(), client)
  }
})
