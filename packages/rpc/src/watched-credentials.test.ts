import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ChannelCredentials, credentials } from '@grpc/grpc-js'
import t from 'tap'
import { WatchedCredentials } from './watched-credentials.ts'

/** The version of grpc-js whose undocumented methods `watched-credentials.ts` overrides. */
const checkedVersion = '1.14.7'

t.test('the override was checked for this version of grpc-js', async (t) => {
  const manifest = createRequire(import.meta.url).resolve('@grpc/grpc-js/package.json')
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  t.equal(
    version,
    checkedVersion,
    'Compare build/src/channel-credentials.js and transport.js of both versions: the methods of' +
      ' ChannelCredentials and of its connector, who calls them, and whether connect() still gets' +
      ' the TCP socket before the handshake. Is there a timeout of its own by now? Then run' +
      ' connection.test.ts and change the version here.',
  )
})

t.test('credentials have the methods that are overridden, and no other private ones', async (t) => {
  const methodsOf = (prototype: object) =>
    Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
  const overridden = new Set(methodsOf(WatchedCredentials.prototype))
  const inner = new Set(methodsOf(Object.getPrototypeOf(credentials.createInsecure())))
  t.strictSame(overridden, new Set(['_isSecure', '_equals', '_createSecureConnector']))
  t.strictSame(inner, new Set([...overridden, 'compose']))
  t.strictSame(methodsOf(ChannelCredentials.prototype), ['compose'])
})
