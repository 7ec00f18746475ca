import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  createFileRegistry,
  type DescMethod,
  fromBinary,
  getOption,
  hasOption,
  isMessage,
  toJson,
} from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'

export interface Annotated {
  /** For example `GET /api/v1/namespaces/{key}`, with the names of its parameters as in JSON. */
  readonly route: string
  /** Which scope its `svc.options.v1.access` has. */
  readonly scope: string
}

/** What the protos themselves say of each route: which it is, and who may call it. */
export function readAnnotations(): Annotated[] {
  const file = fileURLToPath(import.meta.resolve('@svc/proto/descriptors.binpb'))
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(file)))
  const optionOf = (method: DescMethod, name: string): Record<string, unknown> => {
    const extension = registry.getExtension(name)
    if (extension?.message === undefined || !hasOption(method, extension)) return {}
    const option = getOption(method, extension)
    return isMessage(option) ? { ...(toJson(extension.message, option) as object) } : {}
  }
  const methods = [...registry.files].flatMap(({ services }) =>
    services.flatMap((service) => service.methods),
  )
  return methods.flatMap((method) => {
    const { resource, action, alwaysAuthenticated, ...scopes } = optionOf(
      method,
      'svc.options.v1.access',
    )
    const http = optionOf(method, 'google.api.http')
    const bindings = [http, ...((http.additionalBindings ?? []) as Record<string, unknown>[])]
    return bindings.flatMap((binding) => {
      const verb = ['get', 'post', 'put', 'delete'].find((name) => binding[name] !== undefined)
      if (verb === undefined) return []
      const path = String(binding[verb]).replace(/_(\w)/g, (_, letter: string) =>
        letter.toUpperCase(),
      )
      return [{ route: `${verb.toUpperCase()} ${path}`, scope: Object.keys(scopes).join(' ') }]
    })
  })
}
