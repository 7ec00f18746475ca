import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDatabase } from '@svc/database/testing'
import { MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import { protectionOf, RpcChannel } from '@svc/rpc'
import { createLogger, type Logger } from '@svc/runtime'
import t, { type Test } from 'tap'
import { type CertificateAuthority, createAuthority } from '../support/certificates.ts'
import { addressOf, startFleet } from '../support/fleet.ts'
import { loadEnv } from '../support/settings.ts'

/** The settings of a service for its certificate, which is for some names. */
async function install(t: Test, authority: CertificateAuthority, ...names: readonly string[]) {
  const { cert, key } = await authority.issue(...names)
  const files = {
    SVC_INTERNAL_TLS_CA_FILE: authority.cert,
    SVC_INTERNAL_TLS_CERT_FILE: cert,
    SVC_INTERNAL_TLS_KEY_FILE: key,
  }
  const directory = t.testdir({})
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      const path = join(directory, name)
      writeFileSync(path, text)
      return [name, path]
    }),
  )
}

const load = (env: Readonly<Record<string, string>>, log?: Logger) =>
  protectionOf(loadEnv(env), log)

t.test('the services work together by certificates alone', async (t) => {
  const database = await createTestDatabase(t)
  const authority = await createAuthority()
  const files = await install(t, authority, 'gateway', '127.0.0.1')
  const env = { ...files, SVC_INTERNAL_SECRET: '' }
  const { api, auths } = await startFleet(t, {
    databaseUrl: database.url,
    auths: 2,
    env,
  })
  t.match(await api('POST', '/api/v1/flags', { key: 'f', name: 'F', type: 'BOOLEAN_FLAG_TYPE' }), {
    status: 200,
  })
  t.match(await api('GET', '/auth/v1/self'), { status: 200 })
  const question = { flagKey: 'f', entityId: 'e', context: {} }
  t.match(await api('POST', '/evaluate/v1/boolean', question), { status: 200 })

  await t.test('and take no calls by other names', async (t) => {
    const call = async (name: string) => {
      const protection = load(await install(t, authority, name))
      const channel = new RpcChannel(addressOf(auths), { name: 'the auth service', protection })
      t.teardown(() => channel.close())
      return channel.client(MethodServiceDefinition).listMethods({})
    }
    await t.rejects(call('other'), { code: 'unavailable', message: /^the auth service is unavail/ })
    t.match(await call('gateway'), { methods: [] })
  })
})

t.test('a service', async (t) => {
  const authority = await createAuthority()
  const files = await install(t, authority, 'first')

  await t.test('does not start with certificates that it cannot use', async (t) => {
    const { key } = await authority.issue('first')
    const wrong = join(t.testdir({ key }), 'key')
    const env = { ...files, SVC_INTERNAL_TLS_KEY_FILE: wrong }
    t.throws(() => load(env), { reason: 'tls_unusable', message: /mismatch/ })
  })

  await t.test('takes over certificates that replace its own, once they fit', async (t) => {
    const { tls } = load(files)
    const received: string[] = []
    const listener = (update: { readonly certificate: Buffer } | null) =>
      received.push(String(update?.certificate))
    tls?.files.addIdentityCertificateListener(listener)
    t.teardown(() => tls?.files.removeIdentityCertificateListener(listener))
    await new Promise(setImmediate)
    t.equal(received.length, 1)
    const next = await authority.issue('second')
    writeFileSync(String(files.SVC_INTERNAL_TLS_CERT_FILE), next.cert)
    await tls?.files.refresh()
    t.equal(received.length, 1, 'not half of a pair')
    writeFileSync(String(files.SVC_INTERNAL_TLS_KEY_FILE), next.key)
    await tls?.files.refresh()
    t.strictSame(received.slice(1), [next.cert])
  })

  await t.test('keeps its authorities until there is a whole file of others', async (t) => {
    const first = await authority.issue('first')
    writeFileSync(String(files.SVC_INTERNAL_TLS_CERT_FILE), first.cert)
    writeFileSync(String(files.SVC_INTERNAL_TLS_KEY_FILE), first.key)
    const warnings: unknown[][] = []
    const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
    log.warn = (...words: unknown[]) => void warnings.push(words)
    const { tls } = load(files, log)
    const received: string[] = []
    const listener = (update: { readonly caCertificate: Buffer } | null) =>
      received.push(String(update?.caCertificate))
    tls?.files.addCaCertificateListener(listener)
    t.teardown(() => tls?.files.removeCaCertificateListener(listener))
    await new Promise(setImmediate)
    const other = await createAuthority()
    const both = `# both\n${authority.cert}\n${other.cert}\n`
    const path = String(files.SVC_INTERNAL_TLS_CA_FILE)
    for (const bad of ['', 'garbage', both.slice(0, -40), both.replace(/MII/, '!!!'), first.key]) {
      writeFileSync(path, bad)
      t.throws(() => load(files), { reason: 'tls_unusable', message: /ca_file/ }, bad)
      await tls?.files.refresh()
    }
    t.equal(received.length, 1)
    t.match(warnings[0], [/^internal\.tls cannot be used: ca_file .+; the last good files stay$/])
    writeFileSync(path, both)
    await tls?.files.refresh()
    t.strictSame(received.slice(1), [both])
    const logged = warnings.length
    writeFileSync(path, '')
    for (let i = 0; i < 3; i++) await tls?.files.refresh()
    t.equal(warnings.length, logged + 1, 'once, however long it lasts')
  })
})
