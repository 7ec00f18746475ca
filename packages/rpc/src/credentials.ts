import {
  CallCredentials,
  ChannelCredentials,
  experimental,
  Metadata,
  ServerCredentials,
} from '@grpc/grpc-js'
import { digestOf, proofKey, proveCall } from './call-proof.ts'
import type { Protection } from './protection.ts'

export function toServerCredentials({ tls }: Protection): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure()
  const { files } = tls
  return experimental.createCertificateProviderServerCredentials(files, files, true)
}

export function toChannelCredentials({ tls }: Protection): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure()
  return experimental.createCertificateProviderChannelCredentials(tls.files, tls.files)
}

/**
 * What a call proves itself with. Asked for anew by grpc-js each time that it sends the call: what is
 * tried again is not the same call for whoever refuses to take one twice.
 */
export function toCallCredentials(
  { secrets: [secret] }: Protection,
  path: string,
  request: Uint8Array,
): CallCredentials | undefined {
  if (secret === undefined) return undefined
  const digest = digestOf(request)
  return CallCredentials.createFromMetadataGenerator((_options, done) => {
    const metadata = new Metadata()
    metadata.set(proofKey, proveCall(secret, path, digest, Date.now()))
    done(null, metadata)
  })
}
