import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { credentials } from '@grpc/grpc-js'
import { startAuth } from '@svc/auth'
import { createTestDatabase } from '@svc/database/testing'
import { startGateway } from '@svc/gateway'
import { startResource } from '@svc/resource'
import { secretKey } from '@svc/rpc'
import { createLogger } from '@svc/runtime'
import t, { type Test } from 'tap'
import { createAuthority, type KeyPair } from '../support/certificates.ts'
import { databaseEnv } from '../support/pooled.ts'
import { openRawRpc, type RawEnd, type RawRpc } from '../support/raw-rpc.ts'
import { pathsOf } from '../support/rpc-methods.ts'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts'
import { loadEnv } from '../support/settings.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
const secret = 'the-secret-of-this-test-0123456789abcdef'
const next = 'the-secret-after-it-in-this-test-0123456'

const listen = { SVC_AUTH_LISTEN: '127.0.0.1:0', SVC_RESOURCE_LISTEN: '127.0.0.1:0' }

/** @returns the methods of the two services that are called, which also get these settings */
async function startServices(t: Test, env: Readonly<Record<string, string>>) {
  const database = await createTestDatabase(t)
  const settings = loadEnv({
    ...databaseEnv(database.url),
    SVC_INTERNAL_ASSERTION_KEY: 'another-secret-of-this-test-0123456789',
    ...listen,
    ...env,
  })
  const context = { settings, log }
  const [auth, resource] = await Promise.all([startAuth(context), startResource(context)])
  t.teardown(() => Promise.all([auth.close(), resource.close()]))
  return Object.entries({ auth, resource }).flatMap(([service, { port }]) =>
    pathsOf(service as 'auth' | 'resource').map((path) => ({ address: `127.0.0.1:${port}`, path })),
  )
}

type Methods = Awaited<ReturnType<typeof startServices>>

/** Calls every method; strictly all calls have to be refused. */
async function refuseAll(
  t: Test,
  way: string,
  methods: Methods,
  call: (method: Methods[number]) => Promise<RawEnd>,
) {
  const ends = await Promise.all(methods.map(call))
  t.strictSame(
    ends.filter((end) => !isRefused(end)),
    [],
    way,
  )
}

/** One connection to each address, all of a kind. */
function openClients(t: Test, open: (address: string) => RawRpc) {
  const clients = new Map<string, RawRpc>()
  t.teardown(() => {
    for (const client of clients.values()) client.close()
  })
  return (address: string) => {
    const client = clients.get(address) ?? open(address)
    clients.set(address, client)
    return client
  }
}

const isRefused = ({ code, reason }: RawEnd) =>
  code === 'UNAVAILABLE' || (code === 'UNAUTHENTICATED' && reason === 'untrusted_caller')

t.test('calls are accepted with the shared secret only', async (t) => {
  const methods = await startServices(t, {
    SVC_INTERNAL_SECRET: secret,
    SVC_INTERNAL_PREVIOUS_SECRET: next,
  })
  const clientOf = openClients(t, openRawRpc)
  const withSecret = (text: string) => ({ [secretKey]: Buffer.from(text) })
  const request = Buffer.of()
  const ways: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>> = {
    'no secret': {},
    'an empty secret': withSecret(''),
    'another secret': withSecret(`${secret}.`),
    'a part of the secret': withSecret(secret.slice(0, -1)),
    'both secrets in one': withSecret(`${secret},${next}`),
    'the secret in base64': withSecret(Buffer.from(secret).toString('base64')),
    'the secret under another name': { 'svc-internal': secret, authorization: `Bearer ${secret}` },
  }
  t.ok(methods.length >= 40, `${methods.length} methods`)
  for (const [way, metadata] of Object.entries(ways)) {
    await refuseAll(t, way, methods, ({ address, path }) =>
      clientOf(address).call(path, request, metadata),
    )
  }
  for (const { address, path } of methods) {
    for (const accepted of [secret, next]) {
      const end = await clientOf(address).call(path, request, withSecret(accepted))
      t.notOk(isRefused(end), path)
    }
  }
})

t.test('calls are accepted with the right certificate only', async (t) => {
  const [authority, foreign] = await Promise.all([createAuthority(), createAuthority()])
  const directory = t.testdir({})
  const own = await authority.issue('127.0.0.1', 'auth', 'resource')
  const files = { ca: authority.cert, ...own }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const methods = await startServices(t, {
    SVC_INTERNAL_TLS_CA_FILE: join(directory, 'ca'),
    SVC_INTERNAL_TLS_CERT_FILE: join(directory, 'cert'),
    SVC_INTERNAL_TLS_KEY_FILE: join(directory, 'key'),
  })
  const withCertificate = (pair?: KeyPair) => (address: string) =>
    openRawRpc(
      address,
      credentials.createSsl(
        Buffer.from(authority.cert),
        pair === undefined ? null : Buffer.from(pair.key),
        pair === undefined ? null : Buffer.from(pair.cert),
      ),
    )
  const ways: Readonly<Record<string, (address: string) => RawRpc>> = {
    'no encryption': openRawRpc,
    'no certificate': withCertificate(),
    'a certificate of another authority': withCertificate(await foreign.issue('gateway')),
    'an expired certificate': withCertificate(await authority.issueExpired('gateway')),
    'the certificate of a service that is no caller': withCertificate(own),
    'a certificate of a name that looks like it': withCertificate(
      await authority.issue('gateway.example.com', 'DNS:gateway', 'https://gateway'),
    ),
    'a certificate for all names': withCertificate(await authority.issue('*')),
    'a certificate that names an address': withCertificate(await authority.issue('127.0.0.1')),
  }
  for (const [way, open] of Object.entries(ways)) {
    const clientOf = openClients(t, open)
    await refuseAll(t, way, methods, ({ address, path }) => clientOf(address).call(path))
  }
  const clientOf = openClients(t, withCertificate(await authority.issue('gateway')))
  for (const { address, path } of methods) {
    t.notOk(isRefused(await clientOf(address).call(path)), path)
  }
})

t.test('services that refuse each other are unavailable to clients', async (t) => {
  const { url } = await createTestDatabase(t)
  const token = 'the-first-token-of-this-test-0123456789'
  const common = {
    ...databaseEnv(url),
    ...listen,
    SVC_SERVER_HOST: '127.0.0.1',
    SVC_SERVER_HTTP_PORT: '0',
    SVC_INTERNAL_SECRET: secret,
    SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: token,
  }
  const context = (more: Readonly<Record<string, string>>) => ({
    log,
    settings: loadEnv({ ...common, ...more }),
  })
  const [auth, resource] = await Promise.all([
    startAuth(context({ SVC_INTERNAL_ASSERTION_KEY: 'one-assertion-key-of-this-test-0123456' })),
    startResource(context({ SVC_INTERNAL_ASSERTION_KEY: 'other-assertion-key-of-this-test-012' })),
  ])
  const addresses = {
    SVC_AUTH_ADDRESS: `127.0.0.1:${auth.port}`,
    SVC_RESOURCE_ADDRESS: `127.0.0.1:${resource.port}`,
  }
  t.teardown(async () => {
    for (const service of [auth, resource]) await service.close()
  })
  const [gateway, misconfigured] = await Promise.all([
    startServiceProcess(t, 'gateway', { ...common, ...addresses }),
    startServiceProcess(t, 'gateway', { ...common, ...addresses, SVC_INTERNAL_SECRET: next }),
  ])
  const refusals = ({ lines }: ServiceProcess) =>
    lines.map(({ msg }) => String(msg)).filter((msg) => msg.includes('refused the calls'))
  const ask = (port: number, headers: Readonly<Record<string, string>>) =>
    fetch(`http://127.0.0.1:${port}/api/v1/namespaces`, { headers })
  for (const { port } of [gateway, misconfigured]) {
    t.equal((await ask(port, { authorization: `Bearer ${token}` })).status, 503)
    const answer = await ask(port, { cookie: `svc_client_token=${token}` })
    t.equal(answer.status, 503)
    t.notOk(answer.headers.has('set-cookie'), 'a browser keeps its login')
    t.notMatch(
      await answer.text(),
      /secret|assertion|clock/,
      'and does not learn which setting is wrong',
    )
    t.notMatch(await (await fetch(`http://127.0.0.1:${port}/readyz`)).text(), /secret|assertion/)
  }
  t.strictSame(
    refusals(gateway),
    [
      'the resource service refused the calls of this service: it does not accept the assertion of the' +
        ' auth service: internal.assertion_key differs between auth and resource',
    ],
    'but the logs say it',
  )
  t.strictSame(
    refusals(misconfigured).sort(),
    ['auth', 'resource'].map(
      (name) => `the ${name} service refused the calls of this service: internal.secret differs`,
    ),
  )
  t.equal((await ask(gateway.port, { authorization: 'Bearer wrong' })).status, 401)
})

t.test('no service starts where an unauthenticated caller could reach it', async (t) => {
  const { url } = await createTestDatabase(t)
  const starts = { auth: startAuth, resource: startResource, gateway: startGateway }
  const start = (name: keyof typeof starts, more: Readonly<Record<string, string>>) => {
    const everywhere = { SVC_AUTH_LISTEN: '0.0.0.0:0', SVC_RESOURCE_LISTEN: '0.0.0.0:0' }
    const env = { ...databaseEnv(url), ...everywhere, SVC_SERVER_HTTP_PORT: '0', ...more }
    return starts[name]({ settings: loadEnv(env), log })
  }
  for (const name of ['auth', 'resource', 'gateway'] as const) {
    await t.rejects(start(name, {}), { message: /^internal\.secret is missing\. / }, name)
  }
  for (const name of ['auth', 'resource'] as const) {
    await t.rejects(
      start(name, { SVC_INTERNAL_SECRET: secret }),
      { message: /^internal\.assertion_key is missing\. / },
      name,
    )
    await t.rejects(
      start(name, { SVC_INTERNAL_INSECURE: 'true' }),
      { reason: 'unprotected', message: /^0\.0\.0\.0:0 can be reached by others\. / },
      name,
    )
  }
})
