import Fastify from 'fastify'
import t from 'tap'
import { clientAddress } from './client-address.ts'

/** The address of a request from this machine that came with such a header. */
async function addressOf(forwardedFor: string | undefined, trustProxy: string[] | false) {
  const app = Fastify({ trustProxy })
  app.get('/', async (request) => ({ address: clientAddress(request) }))
  const headers = {
    'x-real-ip': '6.6.6.6',
    'true-client-ip': '6.6.6.6',
    forwarded: 'for=6.6.6.6',
    ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
  }
  return (await app.inject({ url: '/', headers })).json().address
}

t.test('believes nobody by default', async (t) => {
  t.equal(await addressOf('203.0.113.9', false), '127.0.0.1')
  t.equal(await addressOf('127.0.0.1, 203.0.113.9', []), '127.0.0.1')
})

t.test('believes a trusted proxy, and no one before it', async (t) => {
  const trusted = ['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8']
  t.equal(await addressOf(undefined, trusted), '127.0.0.1')
  t.equal(await addressOf('203.0.113.9', trusted), '203.0.113.9')
  t.equal(await addressOf('6.6.6.6, 203.0.113.9', trusted), '203.0.113.9')
  t.equal(await addressOf('6.6.6.6, 203.0.113.9, 10.1.2.3', trusted), '203.0.113.9')
  t.equal(await addressOf('2001:db8::1', trusted), '2001:db8::1')
  t.equal(await addressOf('2001:db8::1, fd00::2', trusted), '2001:db8::1')
  t.equal(await addressOf('203.0.113.9', ['10.0.0.0/8']), '127.0.0.1')
})

t.test('takes an address for the same in every spelling', async (t) => {
  t.equal(clientAddress({ ip: '::ffff:203.0.113.9' }), '203.0.113.9')
  t.equal(clientAddress({ ip: '::FFFF:203.0.113.9' }), '203.0.113.9')
  t.equal(clientAddress({ ip: '203.0.113.9:4711' }), '203.0.113.9')
  t.equal(clientAddress({ ip: '[2001:db8::1]:4711' }), '2001:db8::1')
  t.equal(clientAddress({ ip: '[2001:db8::1]' }), '2001:db8::1')
})

t.test('knows nothing of what is no address', async (t) => {
  for (const ip of [
    'unknown',
    '_hidden',
    '',
    'evil',
    '1.2.3.4.5',
    '1.2.3.4:5:6',
    '[x]',
    'a\r\nb',
  ]) {
    t.equal(clientAddress({ ip }), '', ip)
  }
})
