import { z } from 'zod'
import { addressRange, host, outboundUrl } from '../kinds/network.ts'
import { duration, listOf, optional, whole } from '../kinds/values.ts'

/** Event streams of a gateway in all (services/gateway/src/streams/event-streams.ts). */
const maxStreams = 8000

export const serverSection = z.strictObject({
  host: host().prefault('0.0.0.0').describe('The interface on which the gateway serves HTTP.'),
  httpPort: whole(0, 65_535)
    .prefault(8080)
    .describe('The port on which the gateway serves HTTP; 0 takes any free one.'),
  publicUrl: optional(outboundUrl(), 'https://flags.example.com').describe(
    'The URL at which browsers reach this service.',
  ),
  trustedProxies: listOf(addressRange()).describe(
    'Addresses of proxies whose X-Forwarded headers are trusted, as CIDR.',
  ),
  maxStreamsPerCaller: whole(1, maxStreams)
    .prefault(6000)
    .describe('Event streams of one token, or of one address without one, at each gateway.'),
  maxStreamsPerNamespace: whole(1, maxStreams)
    .prefault(6000)
    .describe('Event streams of one namespace at each gateway.'),
  drain: duration(3_600_000, 0)
    .prefault('5s')
    .describe('How long a service still serves after SIGTERM, while callers move to another.'),
})
