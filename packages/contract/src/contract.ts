import { readFileSync } from 'node:fs'
import {
  createFileRegistry,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  fromBinary,
  type JsonObject,
} from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import {
  readAccess,
  readBindings,
  readExampleBody,
  readPosition,
  readRoute,
} from './annotations.ts'
import { type Comments, readComments } from './comments.ts'
import type { Template } from './template.ts'

/** Everything that the protos promise to the world, as far as the gateway serves it. */
export interface Contract {
  readonly services: readonly Service[]
  readonly operations: readonly Operation[]
  /** What the protos say about a message, a field, an enum or one of its values. */
  readonly comments: Comments
}

interface Service {
  /** For example `svc.resource.v1.FlagService`. */
  readonly name: string
  readonly comment: string
  /** Its place in the OpenAPI document. */
  readonly position: number
}

export interface Operation {
  /** What a gRPC call names, for example `/svc.resource.v1.FlagService/GetFlag`. */
  readonly path: string
  readonly service: string
  readonly name: string
  readonly input: DescMessage
  readonly output: DescMessage
  /** Whether it answers with a stream of {@link output} and not with one. */
  readonly isStream: boolean
  /** Its URLs; none when it is internal. */
  readonly bindings: readonly Binding[]
  readonly access: AccessRule
  readonly route: Route
  readonly comment: string
  /** A body to show, where the examples of the fields do not make one. */
  readonly exampleBody: JsonObject | undefined
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Binding {
  readonly verb: Verb
  readonly template: Template
  /** Whether the fields that are not in the path come from the body; else from the query. */
  readonly hasBody: boolean
}

/** An operation as one of its URLs calls it. */
export interface BoundOperation {
  readonly operation: Operation
  readonly binding: Binding
}

/** Who may call an operation: its `svc.options.v1.access`. */
export interface AccessRule {
  readonly scope: AccessScope
  /** By its name in the proto, for example `FLAG`. */
  readonly resource: string
  /** By its name in the proto, for example `UPDATE`. */
  readonly action: string
}

/** How the gateway serves an operation: its `svc.options.v1.route`, over what its service says. */
export interface Route {
  /** The group of routes that limits and settings refer to. */
  readonly area: Area
  /** The process that has the answer. */
  readonly answeredBy: Answerer
  /** The part of the operation in the login of a browser. */
  readonly login: 'OWN_PAGE' | 'REDIRECT' | 'CALLBACK' | 'PROGRAM' | undefined
  readonly body: 'JSON' | 'FORM'
  /** The login method, as the settings call it, without which it is not served; empty: it always is. */
  readonly loginMethod: string
  /** Whether it may take up to twenty seconds. */
  readonly isSlow: boolean
  /** Whether its writes take no `If-Match`, and its answers have no tag. */
  readonly isUntagged: boolean
}

export type Area = 'MANAGEMENT' | 'EVALUATION' | 'OFREP' | 'METADATA' | 'AUTH'

export type Answerer = 'GATEWAY' | 'AUTH_SERVICE' | 'RESOURCE_SERVICE'

export type AccessScope =
  /** `field` is the way to the namespace in the request, each part a field's name in JSON. */
  | { readonly case: 'namespace'; readonly field: readonly string[] }
  | { readonly case: 'namespaceHeader'; readonly header: string }
  | { readonly case: 'global' }
  | { readonly case: 'public' }
  | { readonly case: 'internal' }
  | { readonly case: 'self' }

let loaded: Contract | undefined

/**
 * That of the protos. Read once, which takes 0.1 s: a process may have several services.
 *
 * @throws {AppError} `failed_precondition`, naming the method whose annotations are missing or wrong
 */
export function loadContract(): Contract {
  loaded ??= readContract(readDescriptorSet())
  return loaded
}

/**
 * @param descriptorSet as `buf build` makes it
 * @throws {AppError} what {@link loadContract} throws
 */
export function readContract(descriptorSet: Uint8Array): Contract {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet))
  const comments = readComments(registry.files)
  const services = [...registry.files].flatMap((file) => file.services)
  return {
    services: services.map((service) => ({
      name: service.typeName,
      comment: comments.get(service) ?? '',
      position: readPosition(registry, service),
    })),
    operations: services.flatMap((service) =>
      service.methods.map((method) => toOperation(registry, method, comments)),
    ),
    comments,
  }
}

export function readDescriptorSet(): Buffer {
  return readFileSync(new URL(import.meta.resolve('@svc/proto/descriptors.binpb')))
}

function toOperation(registry: FileRegistry, method: DescMethod, comments: Comments): Operation {
  const access = readAccess(registry, method)
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    service: method.parent.typeName,
    name: method.name,
    input: method.input,
    output: method.output,
    isStream: method.methodKind !== 'unary',
    bindings: readBindings(registry, method, access),
    access,
    route: readRoute(registry, method),
    comment: comments.get(method) ?? '',
    exampleBody: readExampleBody(registry, method),
  }
}
