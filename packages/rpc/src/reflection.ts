import { readFile } from 'node:fs/promises'
import type {
  Server,
  ServerDuplexStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js'

type BytesStream = ServerDuplexStream<Buffer, Buffer>

interface Version {
  readonly definition: ServiceDefinition
  readonly implementation: UntypedServiceImplementation
}

const method = 'ServerReflectionInfo'

/**
 * Adds reflection, for tools such as grpcurl. The descriptors are loaded with the first request: that takes
 * as long as the rest of a service's start.
 */
export function addReflection(server: Server, descriptorSet: URL): void {
  let reading: Promise<Version[]> | undefined
  const names = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection']
  for (const [index, name] of names.entries()) {
    const answer = async (call: BytesStream) => {
      reading ??= readVersions(descriptorSet)
      const version = (await reading)[index]
      if (version !== undefined) delegate(call, version)
    }
    const definition = {
      path: `/${name}/${method}`,
      requestStream: true,
      responseStream: true,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    }
    server.addService(
      { [method]: definition },
      { [method]: (call: BytesStream) => void answer(call).catch((error) => call.destroy(error)) },
    )
  }
}

function asIs(bytes: Buffer): Buffer {
  return bytes
}

/** The services that the library adds to a server: v1, then v1alpha. */
async function readVersions(descriptorSet: URL): Promise<Version[]> {
  const [{ ReflectionService }, { loadFileDescriptorSetFromBuffer }, bytes] = await Promise.all([
    import('@grpc/reflection'),
    import('@grpc/proto-loader'),
    readFile(descriptorSet),
  ])
  const versions: Version[] = []
  new ReflectionService(loadFileDescriptorSetFromBuffer(bytes)).addToServer({
    addService: (definition, implementation) => versions.push({ definition, implementation }),
  })
  return versions
}

/** Calls the library's handler, which expects messages, with bytes. */
function delegate(call: BytesStream, { definition, implementation }: Version): void {
  const types = definition[method]
  const handle = implementation[method] as ((stream: object) => void) | undefined
  if (types === undefined || handle === undefined) return
  handle({
    on(event: string, listener: (message?: unknown) => void) {
      const isData = event === 'data'
      call.on(
        event,
        isData ? (bytes: Buffer) => listener(types.requestDeserialize(bytes)) : listener,
      )
    },
    write: (message: unknown) => call.write(types.responseSerialize(message)),
    end: () => call.end(),
  })
}
