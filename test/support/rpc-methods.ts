import { AuthenticationServiceDefinition } from '@svc/proto/auth/v1/authentications'
import { IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import { MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import { SessionServiceDefinition } from '@svc/proto/auth/v1/sessions'
import { TokenServiceDefinition } from '@svc/proto/auth/v1/tokens'
import { ConstraintServiceDefinition } from '@svc/proto/resource/v1/constraints'
import { DistributionServiceDefinition } from '@svc/proto/resource/v1/distributions'
import { FlagServiceDefinition } from '@svc/proto/resource/v1/flags'
import { NamespaceServiceDefinition } from '@svc/proto/resource/v1/namespaces'
import { RolloutServiceDefinition } from '@svc/proto/resource/v1/rollouts'
import { RuleServiceDefinition } from '@svc/proto/resource/v1/rules'
import { SegmentServiceDefinition } from '@svc/proto/resource/v1/segments'
import { VariantServiceDefinition } from '@svc/proto/resource/v1/variants'
import { WatchServiceDefinition } from '@svc/proto/resource/v1/watch'
import { methodPath } from '@svc/rpc'

interface Service {
  readonly fullName: string
  readonly methods: Readonly<Record<string, { readonly name: string }>>
}

const services: Readonly<Record<'auth' | 'resource', readonly Service[]>> = {
  auth: [
    AuthenticationServiceDefinition,
    IdentityServiceDefinition,
    MethodServiceDefinition,
    SessionServiceDefinition,
    TokenServiceDefinition,
  ],
  resource: [
    ConstraintServiceDefinition,
    DistributionServiceDefinition,
    FlagServiceDefinition,
    NamespaceServiceDefinition,
    RolloutServiceDefinition,
    RuleServiceDefinition,
    SegmentServiceDefinition,
    VariantServiceDefinition,
    WatchServiceDefinition,
  ],
}

/** The paths of everything that a service serves when no login method is enabled. */
export function pathsOf(service: keyof typeof services): readonly string[] {
  return services[service].flatMap((definition) =>
    Object.values(definition.methods).map(({ name }) => methodPath(definition, name)),
  )
}
