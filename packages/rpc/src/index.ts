export { secretKey } from './call-authenticator.ts'
export { type ChannelOptions, maxMessageBytes, type RawAnswer, RpcChannel } from './channel.ts'
export {
  type CallContext,
  type CallOptions,
  type Handlers,
  methodPath,
  type RpcClient,
  type ServiceDefinition,
  type Trailers,
} from './definition.ts'
export { follow } from './follow.ts'
export { type Protection, protectionOf, unprotected } from './protection.ts'
export { type AuthorizeCall, maxRequestBytes, RpcServer } from './server.ts'
export { unvouchedReason } from './status.ts'
