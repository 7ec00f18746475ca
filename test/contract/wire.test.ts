import { fileURLToPath } from 'node:url'
import {
  type Client,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { databaseEnv } from '../support/pooled.ts'
import { startServiceProcess } from '../support/service-process.ts'

/** This file is test/dist/contract/wire.test.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

type Method = (
  request: object,
  metadata: Metadata,
  options: object,
  callback: (error: ServiceError | null, answer: object) => void,
) => void

/** A client that was made from the proto files by another library than the one we generate with. */
function open(
  t: Pick<typeof import('tap').t, 'teardown'>,
  file: string,
  name: string,
  port: number,
) {
  const definition = loadSync(file, {
    includeDirs: [`${root}proto`, `${root}proto/node_modules/protobufjs`],
    enums: String,
    defaults: true,
    longs: Number,
  })
  const found = name
    .split('.')
    .reduce<unknown>(
      (tree, part) => Reflect.get(tree as object, part),
      loadPackageDefinition(definition),
    )
  const Service = found as ServiceClientConstructor
  const client = new Service(`127.0.0.1:${port}`, credentials.createInsecure())
  t.teardown(() => client.close())
  return (method: string, request: object, headers: Readonly<Record<string, string>> = {}) => {
    const metadata = new Metadata()
    for (const [key, value] of Object.entries(headers)) metadata.set(key, value)
    return new Promise<object>((resolve, reject) => {
      const call = Reflect.get(client as Client, method) as Method
      call.call(client, request, metadata, { deadline: Date.now() + 5000 }, (error, answer) =>
        error === null ? resolve(answer) : reject(error),
      )
    })
  }
}

t.test('the services speak what the proto files say', async (t) => {
  const database = await createTestDatabase(t)
  const token = 'a-token-for-the-wire-test'
  const env = {
    ...databaseEnv(database.url),
    // The client knows the proto files and nothing of ours.
    SVC_INTERNAL_SECRET: '',
    SVC_INTERNAL_ASSERTION_KEY: '',
    SVC_INTERNAL_INSECURE: 'true',
    SVC_AUTH_LISTEN: '127.0.0.1:0',
    SVC_RESOURCE_LISTEN: '127.0.0.1:0',
    SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: token,
  }
  const [auth, resource] = await Promise.all([
    startServiceProcess(t, 'auth', env),
    startServiceProcess(t, 'resource', env),
  ])

  await t.test('flags, as a client made from the protos alone sees them', async (t) => {
    const flags = open(
      t,
      'svc/resource/v1/flags.proto',
      'svc.resource.v1.FlagService',
      resource.port,
    )
    const request = {
      namespaceKey: 'default',
      key: 'wire',
      name: 'Wire',
      type: 'BOOLEAN_FLAG_TYPE',
      metadata: { fields: { owner: { stringValue: 'é', kind: 'stringValue' } } },
    }
    const created = await flags('CreateFlag', request)
    t.match(created, { key: 'wire', name: 'Wire', enabled: false, type: 'BOOLEAN_FLAG_TYPE' })
    t.match(created, { metadata: { fields: { owner: { stringValue: 'é' } } } })
    t.strictSame(await flags('GetFlag', { namespaceKey: 'default', key: 'wire' }), created)
    t.match(await flags('ListFlags', { limit: 1 }), { totalCount: 1, flags: [{ key: 'wire' }] })
    await t.rejects(flags('GetFlag', { key: 'none' }), {
      code: 5,
      details: 'flag "default/none" not found',
    })
    await t.rejects(flags('CreateFlag', { key: 'a b', name: 'x' }), { code: 3 })
  })

  await t.test('tokens: auth trusts a credential and nothing else', async (t) => {
    const tokens = open(t, 'svc/auth/v1/tokens.proto', 'svc.auth.v1.TokenService', auth.port)
    await t.rejects(tokens('CreateToken', { name: 'x' }), { code: 16 })
    const authorization = `Bearer ${token}`
    t.match(await tokens('CreateToken', { name: 'x' }, { authorization }), {
      clientToken: /^svc_[-\w]{43}_[0-9A-Za-z]{6}$/,
      authentication: { method: 'METHOD_TOKEN', metadata: { 'io.svc.auth.token.name': 'x' } },
    })
  })

  await t.test('health', async (t) => {
    for (const { port } of [auth, resource]) {
      const health = open(
        t,
        `${root}packages/rpc/node_modules/grpc-health-check/proto/health/v1/health.proto`,
        'grpc.health.v1.Health',
        port,
      )
      t.match(await health('Check', {}), { status: 'SERVING' })
    }
  })
})
