import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { basePathsBehind } from './base-path.ts'

interface Ask {
  readonly publicUrl?: string
  readonly prefix?: string | string[]
  readonly peer?: string
}

function basePathOf({ publicUrl, prefix, peer = '10.0.0.1' }: Ask): string {
  const request = {
    headers: { ...(prefix !== undefined && { 'x-forwarded-prefix': prefix }) },
    socket: { remoteAddress: peer },
  }
  const server = { publicUrl, trustedProxies: ['10.0.0.0/8'] }
  return basePathsBehind(server)(request as unknown as IncomingMessage)
}

t.test('is the path of the public URL', async (t) => {
  const table = {
    'https://flags.example.com': '/',
    'https://flags.example.com/': '/',
    'https://example.com/tools/flags': '/tools/flags/',
    'https://example.com/tools/flags/': '/tools/flags/',
    'https://example.com//elsewhere.example': '/elsewhere.example/',
    'https://example.com/a/../b': '/b/',
  }
  for (const [publicUrl, path] of Object.entries(table)) {
    t.equal(basePathOf({ publicUrl }), path, publicUrl)
  }
  t.equal(basePathOf({}), '/')
})

t.test('is what a trusted proxy says instead', async (t) => {
  const table = {
    '/': '/',
    '/tools/flags': '/tools/flags/',
    '/tools/flags/': '/tools/flags/',
    '/a.b~c_d-e/1': '/a.b~c_d-e/1/',
  }
  const publicUrl = 'https://example.com/other'
  for (const [prefix, path] of Object.entries(table)) {
    t.equal(basePathOf({ publicUrl, prefix }), path, prefix)
    t.equal(basePathOf({ prefix }), path, prefix)
    t.equal(basePathOf({ publicUrl, prefix, peer: '192.0.2.1' }), '/other/', 'of another peer')
    t.equal(basePathOf({ publicUrl, prefix, peer: '::ffff:10.1.2.3' }), path, 'IPv4 in IPv6')
  }
})

t.test('is never what could lead elsewhere, nor several', async (t) => {
  const wrong = [
    ...[
      '',
      'tools',
      '//elsewhere.example',
      '/a//b',
      '/a//',
      '/..',
      '/a/../b',
      '/./a',
      '/.',
      '/a/.',
    ],
    ...['/\\elsewhere.example', '/a b', '/a"><script>', "/a'", '/a&b', '/%2e%2e', '/a?b', '/a#b'],
    ...['/a, /b', '/ü', '/a\t', 'https://elsewhere.example/', `/${'a'.repeat(256)}`],
  ]
  for (const prefix of wrong) {
    t.equal(basePathOf({ publicUrl: 'https://example.com/own', prefix }), '/own/', prefix)
  }
  t.equal(basePathOf({ prefix: ['/a', '/b'] }), '/', 'a doubled header')
})
