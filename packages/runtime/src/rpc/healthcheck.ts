// `node healthcheck.js HOST:PORT` ends with 0 when the gRPC server there says it is serving.
// For container health checks. Kubernetes asks by itself, but not where the services know each other
// by certificates, for it has none: there, this is its check, too.
import { ChannelCredentials, Client, experimental } from '@grpc/grpc-js'
import { loadSettings } from '../config/load.ts'
import { protectionOf } from './protection.ts'

const address = process.argv[2] ?? '127.0.0.1:9001'
const { settings } = loadSettings({ argv: [], env: process.env, isTerminal: false })
const client = new Client(address, credentialsFor(protectionOf(settings)))

/** `HealthCheckResponse { status: SERVING }` on the wire. */
const serving = Buffer.from([0x08, 0x01])

client.makeUnaryRequest(
  '/grpc.health.v1.Health/Check',
  () => Buffer.alloc(0),
  (bytes: Buffer) => bytes,
  undefined,
  { deadline: Date.now() + 2000 },
  (error, answer) => {
    if (error === null && answer?.equals(serving)) process.exit(0)
    process.stderr.write(`${address} is not serving${error === null ? '' : `: ${error.message}`}\n`)
    process.exit(1)
  },
)

/** With the certificate of the service itself, which is at this address under another name. */
function credentialsFor({ tls }: ReturnType<typeof protectionOf>): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure()
  const anyName = { checkServerIdentity: () => undefined }
  return experimental.createCertificateProviderChannelCredentials(tls.files, tls.files, anyName)
}
