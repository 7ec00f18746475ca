// `node healthcheck.js HOST:PORT` ends with 0 when the gRPC server there says it is serving.
// For container health checks; Kubernetes asks by itself.
import { Client, credentials } from '@grpc/grpc-js'

const address = process.argv[2] ?? '127.0.0.1:9001'
const client = new Client(address, credentials.createInsecure())

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
