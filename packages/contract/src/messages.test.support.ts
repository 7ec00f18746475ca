import type { DescMessage } from '@bufbuild/protobuf'
import * as authentications from '@svc/proto/auth/v1/authentications'
import * as tokens from '@svc/proto/auth/v1/tokens'
import * as evaluation from '@svc/proto/evaluation/v1/evaluation'
import * as apply from '@svc/proto/resource/v1/apply'
import * as distributions from '@svc/proto/resource/v1/distributions'
import * as flags from '@svc/proto/resource/v1/flags'
import * as namespaces from '@svc/proto/resource/v1/namespaces'
import * as rollouts from '@svc/proto/resource/v1/rollouts'
import * as rules from '@svc/proto/resource/v1/rules'

interface MessageCodec {
  fromPartial(message: object): object
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
}

const resource = { ...apply, ...distributions, ...flags, ...namespaces, ...rollouts, ...rules }
const exported: object = { ...authentications, ...tokens, ...evaluation, ...resource }
const codecs = new Map<string, MessageCodec>(Object.entries(exported))

/** How a service behind the gateway encodes and decodes a message. */
export function codecOf({ typeName, name }: DescMessage): MessageCodec {
  const codec = codecs.get(name)
  if (codec === undefined) throw new Error(`there is no ${typeName}`)
  return codec
}
