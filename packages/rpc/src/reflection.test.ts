import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js'
import { loadSync, type PackageDefinition } from '@grpc/proto-loader'
import t from 'tap'
import { addReflection } from './reflection.ts'

const library = dirname(createRequire(import.meta.url).resolve('@grpc/reflection/package.json'))

function load(version: string): PackageDefinition {
  const file = join(library, `build/proto/grpc/reflection/${version}/reflection.proto`)
  return loadSync(file, { keepCase: true, oneofs: true })
}

/** The definition of the reflection service itself, as a set of one file. */
function descriptorSet(): Buffer {
  const files = Object.values(load('v1')).flatMap(({ fileDescriptorProtos: files }) =>
    Array.isArray(files) ? files.filter((file) => Buffer.isBuffer(file)) : [],
  )
  const file = files[0] ?? Buffer.alloc(0)
  // A message with the file in field 1: tag, length in two groups of seven bits, bytes.
  const length = [(file.length & 0x7f) | 0x80, file.length >> 7]
  return Buffer.concat([Buffer.from([0x0a, ...length]), file])
}

for (const version of ['v1', 'v1alpha']) {
  t.test(`${version}: names the services, in several requests at once`, async (t) => {
    const server = new Server()
    const directory = t.testdir({ 'set.binpb': descriptorSet() })
    addReflection(server, pathToFileURL(join(directory, 'set.binpb')))
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      )
    })
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
    t.teardown(() => {
      client.close()
      server.forceShutdown()
    })
    const service = load(version)[`grpc.reflection.${version}.ServerReflection`]
    const method =
      service !== undefined && 'ServerReflectionInfo' in service
        ? service.ServerReflectionInfo
        : undefined
    if (method === undefined) throw new Error('no such service')
    const ask = () =>
      new Promise<unknown>((resolve, reject) => {
        const { path, requestSerialize, responseDeserialize } = method
        const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize)
        call.on('data', resolve)
        call.on('error', reject)
        call.write({ list_services: '' })
        call.end()
      })
    for (const answer of await Promise.all([ask(), ask(), ask()])) {
      t.match(answer, {
        list_services_response: { service: [{ name: 'grpc.reflection.v1.ServerReflection' }] },
      })
    }
  })
}
