import { ChannelCredentials, experimental, ServerCredentials } from '@grpc/grpc-js'
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
