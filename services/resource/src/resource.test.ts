import { openDatabase } from '@svc/database'
import { createTestDatabase } from '@svc/database/testing'
import {
  CreateFlagRequest,
  Flag,
  FlagServiceDefinition,
  ListFlagsRequest,
} from '@svc/proto/resource/v1/flags'
import { VariantServiceDefinition } from '@svc/proto/resource/v1/variants'
import { WatchServiceDefinition } from '@svc/proto/resource/v1/watch'
import { methodPath, RpcChannel } from '@svc/rpc'
import { createLogger, Secret } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { migrateResource, startResource } from './resource.ts'
import { Copy } from './testing/copy.ts'
import { Link } from './testing/link.ts'
import { follow } from './testing/watching.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

function context(url: string, listen = '127.0.0.1:0', autoMigrate = true) {
  const db = { url: new Secret(url), maxConnections: 5, autoMigrate }
  const internal = { insecure: true, tls: { callers: [] } }
  const resource = { listen, address: listen, maxNamespaceMib: 256 }
  const changes = { previousKeys: [], retention: 34_560_000_000, dailyBytes: 2 ** 31 }
  const seed = { mode: 'once' as const }
  return { log, settings: { changes, db, internal, resource, seed } }
}

t.test('the service on an empty database', async (t) => {
  const { url } = await createTestDatabase(t)
  const service = await startResource(context(url))
  const channel = new RpcChannel(`127.0.0.1:${service.port}`, { name: 'the resource service' })
  t.teardown(async () => {
    channel.close()
    await service.close()
  })
  const flags = channel.client(FlagServiceDefinition)
  const create = (request: Partial<CreateFlagRequest>) =>
    flags.createFlag(CreateFlagRequest.fromPartial(request))

  await t.test('makes its tables and serves', async (t) => {
    t.equal((await create({ key: 'f', name: 'F' })).namespaceKey, 'default')
  })

  await t.test('sends the revision of a change after the answer', async (t) => {
    const request = CreateFlagRequest.fromPartial({ key: 'g', name: 'G' })
    const path = methodPath(FlagServiceDefinition, 'CreateFlag')
    const answer = await channel.call(path, CreateFlagRequest.encode(request).finish())
    t.equal(Flag.decode(answer.bytes).key, 'g')
    t.match(answer.trailer('svc-revision'), /^default:\d+$/)
  })

  await t.test('answers errors with their code, reason and message', async (t) => {
    const message = 'flag "default/f" is not unique'
    const refused = { code: 'already_exists', reason: 'flag_not_unique', message }
    await t.rejects(create({ key: 'f', name: 'F' }), refused)
  })

  await t.test('carries the largest attachment', async (t) => {
    const attachment = `"${'é'.repeat(511_999)}"`
    const variant = { namespaceKey: '', flagKey: 'f', key: 'v', name: '', description: '' }
    const variants = channel.client(VariantServiceDefinition)
    t.equal((await variants.createVariant({ ...variant, attachment })).attachment, attachment)
    const flag = { namespaceKey: '', key: 'f', reference: '' }
    t.equal((await flags.getFlag(flag)).variants[0]?.attachment, attachment)
  })

  await t.test('cannot be started a second time at the same address', async (t) => {
    const again = startResource(context(url, `127.0.0.1:${service.port}`))
    await t.rejects(again, { code: 'failed_precondition', reason: 'address_in_use' })
  })
})

t.test('changes that wait for their namespaces leave connections for reads', async (t) => {
  const { url } = await createTestDatabase(t)
  const service = await startResource(context(url))
  const channel = new RpcChannel(`127.0.0.1:${service.port}`, { name: 'the resource service' })
  const other = openDatabase(url, { name: 'another replica', maxConnections: 1, log })
  t.teardown(async () => {
    channel.close()
    await other.close()
    await service.close()
  })
  const flags = channel.client(FlagServiceDefinition)
  const keys = Array.from({ length: 5 }, (_, n) => `n${n}`)
  await other.query(
    'INSERT INTO resource.namespaces (key, name) SELECT n, n FROM unnest($1::text[]) AS n',
    [keys],
  )
  let writes: Promise<unknown>[] = []
  await other.transaction(async (tx) => {
    await tx.query('SELECT FROM resource.namespaces FOR UPDATE')
    writes = keys.map((namespaceKey) =>
      flags.createFlag(CreateFlagRequest.fromPartial({ namespaceKey, key: 'f', name: 'F' }), {
        timeoutMs: 20_000,
      }),
    )
    const refusal = { code: 'unavailable', message: /^too many changes wait for the database/ }
    await t.rejects(Promise.race(writes), refusal)
    t.match(await flags.listFlags(ListFlagsRequest.fromPartial({})), { totalCount: 0 })
  })
  const outcomes = (await Promise.allSettled(writes)).map(({ status }) => status)
  t.equal(outcomes.filter((status) => status === 'fulfilled').length, 3)
})

t.test('a start that waits for migrations', async (t) => {
  const { url } = await createTestDatabase(t)

  await t.test('serves when another replica has run them', async (t) => {
    const starting = startResource(context(url, '127.0.0.1:0', false))
    t.equal(await migrateResource(context(url)), undefined)
    const service = await starting
    t.ok(service.port > 0)
    await service.close()
  })

  await t.test('finds nothing left to do the next time', async (t) => {
    t.equal(await migrateResource(context(url)), undefined)
  })
})

t.test('calls fail as unavailable while the database is unavailable, and work after', async (t) => {
  const { url } = await createTestDatabase(t)
  const link = new Link(url)
  await link.mend()
  const service = await startResource(context(link.url))
  t.teardown(async () => {
    await service.close()
    await link.cut()
  })
  const channel = new RpcChannel(`127.0.0.1:${service.port}`, { name: 'the resource service' })
  t.teardown(() => channel.close())
  const flags = channel.client(FlagServiceDefinition)
  const list = () => flags.listFlags(ListFlagsRequest.fromPartial({}))
  t.equal((await list()).totalCount, 0)
  const copy = new Copy()
  const leaving = new AbortController()
  const { signal } = leaving
  const changes = channel.client(WatchServiceDefinition).watch({ revisions: {} }, { signal })
  const following = follow(changes, copy, signal)
  await waitFor(() => copy.isSynced)

  await link.cut()
  const startedAt = performance.now()
  await t.rejects(list(), { code: 'unavailable', message: 'the database is not available' })
  t.ok(performance.now() - startedAt < 1000)

  await link.mend()
  t.equal((await list()).totalCount, 0)
  await flags.createFlag(CreateFlagRequest.fromPartial({ key: 'f', name: 'F' }))
  await waitFor(() => copy.namespaces.get('default')?.flags.has('f') === true)
  leaving.abort()
  await following
})
