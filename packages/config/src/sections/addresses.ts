import { z } from 'zod'
import { listenAddress, target } from '../kinds/network.ts'
import { optional, whole } from '../kinds/values.ts'

export const authSection = z.strictObject({
  listen: listenAddress()
    .prefault('127.0.0.1:9001')
    .describe('Where the auth service serves gRPC; keep it off public networks.'),
  address: target()
    .prefault('127.0.0.1:9001')
    .describe('Where the other services reach the auth service.'),
})

export const resourceSection = z.strictObject({
  listen: listenAddress()
    .prefault('127.0.0.1:9002')
    .describe('Where the resource service serves gRPC; keep it off public networks.'),
  address: target()
    .prefault('127.0.0.1:9002')
    .describe('Where the gateway reaches the resource service.'),
  maxNamespaceMib: whole(1, 65_536)
    .prefault(256)
    .describe('How much one namespace may take in the memory of every gateway, in MiB.'),
})

export const healthSection = z.strictObject({
  listen: optional(listenAddress(), '0.0.0.0:9464').describe(
    'Where a service answers /healthz and /readyz by HTTP; nowhere when left out.',
  ),
})
