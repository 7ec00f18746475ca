import { fromBinary, toBinary, type UnknownField } from '@bufbuild/protobuf'
import {
  type FileDescriptorSet,
  FileDescriptorSetSchema,
  type MethodDescriptorProto,
} from '@bufbuild/protobuf/wkt'
import t from 'tap'
import { readContract, readDescriptorSet } from './contract.ts'
import { bound, contract } from './testing.ts'

t.test('the contract of the protos', async (t) => {
  const find = (name: string) => contract.operations.find((operation) => operation.name === name)

  await t.test('says what a method is and who may call it', async (t) => {
    const { operation } = bound('UpdateFlag')
    t.match(operation, {
      path: '/svc.resource.v1.FlagService/UpdateFlag',
      service: 'svc.resource.v1.FlagService',
      input: { typeName: 'svc.resource.v1.UpdateFlagRequest' },
      output: { typeName: 'svc.resource.v1.Flag' },
      access: {
        scope: { case: 'namespace', field: ['namespaceKey'] },
        resource: 'FLAG',
        action: 'UPDATE',
      },
      comment: 'Replaces the name, description, state, default variant and metadata of a flag.',
    })
    t.strictSame(
      operation.bindings.map(({ verb, template, hasBody }) => [verb, template.text, hasBody]),
      [
        ['PUT', '/api/v1/namespaces/{namespaceKey}/flags/{key}', true],
        ['PUT', '/api/v1/flags/{key}', true],
      ],
    )
    t.strictSame(operation.bindings[0]?.template.fields, ['namespaceKey', 'key'])
    t.equal(operation.bindings[0]?.template.url, '/api/v1/namespaces/:namespaceKey/flags/:key')
  })

  await t.test('knows every scope', async (t) => {
    const scopes = {
      GetNamespace: { case: 'namespace', field: ['key'] },
      EvaluateBatch: { case: 'namespace', field: ['requests', 'namespaceKey'] },
      EvaluateFlags: { case: 'namespaceHeader', header: 'X-Svc-Namespace' },
      ListNamespaces: { case: 'global' },
      ListMethods: { case: 'public' },
      Watch: { case: 'internal' },
    }
    for (const [name, scope] of Object.entries(scopes))
      t.strictSame(find(name)?.access.scope, scope)
  })

  await t.test('says how an operation is served: as its service says, and itself', async (t) => {
    const json = { area: 'MANAGEMENT', answeredBy: 'RESOURCE_SERVICE', body: 'JSON' }
    t.strictSame(find('GetFlag')?.route, {
      ...json,
      login: undefined,
      loginMethod: '',
      isSlow: false,
      isUntagged: false,
    })
    const routes = {
      EvaluateBatch: { area: 'EVALUATION', answeredBy: 'GATEWAY' },
      BackchannelLogout: { area: 'AUTH', body: 'FORM', loginMethod: 'oidc' },
      SignIn: { answeredBy: 'AUTH_SERVICE', login: 'OWN_PAGE', body: 'JSON' },
      Watch: { answeredBy: 'RESOURCE_SERVICE' },
    }
    for (const [name, route] of Object.entries(routes)) t.match(find(name)?.route, route)
  })

  await t.test('knows what is a stream', async (t) => {
    t.equal(bound('WatchNamespace').operation.isStream, true)
    t.equal(bound('GetFlag').operation.isStream, false)
  })

  await t.test('gives no URL to internal methods', async (t) => {
    const internal = contract.operations.filter(({ access }) => access.scope.case === 'internal')
    t.ok(internal.length > 0)
    for (const { bindings, name } of internal) t.strictSame(bindings, [], name)
  })

  await t.test('changes nothing by GET, but for logins by way of another site', async (t) => {
    const changing = contract.operations.filter(
      ({ access, bindings }) =>
        access.action !== 'READ' && bindings.some(({ verb }) => verb === 'GET'),
    )
    t.strictSame(changing.map(({ service, name }) => `${service}.${name}`).toSorted(), [
      'svc.auth.v1.CodehostService.Authorize',
      'svc.auth.v1.CodehostService.Callback',
      'svc.auth.v1.OidcService.Authorize',
      'svc.auth.v1.OidcService.Callback',
    ])
  })

  await t.test('lets those verify a log who may update what it is about', async (t) => {
    const scopeOf = (name: string) => find(name)?.access.scope
    t.strictSame(scopeOf('UpdateNamespace'), { case: 'namespace', field: ['key'] })
    t.strictSame(scopeOf('VerifyChanges'), { case: 'namespace', field: ['namespaceKey'] })
    t.strictSame(scopeOf('CreateToken'), { case: 'global' })
    t.strictSame(scopeOf('VerifyEvents'), { case: 'global' })
  })

  await t.test('keeps the comments of services, messages, fields and values', async (t) => {
    const { input, output } = bound('CreateFlag').operation
    const { comments, services } = contract
    t.equal(comments.get(output.fields[6] ?? {}), 'In the order of their creation.')
    t.equal(comments.get(input.fields[5]?.enum?.values[1] ?? {}), 'Serves true or false.')
    const comment = 'Flags are the named switches that applications evaluate.'
    t.equal(services.find(({ name }) => name.endsWith('FlagService'))?.comment, comment)
    const { fields } = bound('LegacyEvaluate').operation.output
    const reason = fields.find(({ name }) => name === 'reason')
    t.equal(reason?.enum?.typeName, 'svc.evaluation.v1.LegacyEvaluateResponse.Reason')
  })
})

t.test('a contract that cannot hold', async (t) => {
  const http = 72295728
  const access = 50100
  const routes = 50105

  interface Annotated {
    readonly options?: { $unknown?: UnknownField[] | undefined } | undefined
  }
  const drop = ({ options }: Annotated, option: number) => {
    if (options?.$unknown) options.$unknown = options.$unknown.filter(({ no }) => no !== option)
  }
  const replace = ({ options }: Annotated, option: number, from: string, to: string) => {
    if (!options?.$unknown) return
    options.$unknown = options.$unknown.map((field) => {
      if (field.no !== option) return field
      const text = Buffer.from(field.data).toString('latin1').replaceAll(from, to)
      return { ...field, data: Buffer.from(text, 'latin1') }
    })
  }
  const name = 'svc.resource.v1.FlagService.GetFlag'
  const url = `${name} cannot be served: the URL "/api/v1/namespaces/{namespace_key}/flags/`
  const table: Record<string, (set: FileDescriptorSet, method: MethodDescriptorProto) => void> = {
    [`${name} has no access annotation`]: (_, method) => drop(method, access),
    ' has no route annotation with an area and who answers': ({ file }) => {
      for (const service of file.flatMap(({ service }) => service)) drop(service, routes)
    },
    [`${name} has no URL`]: (_, method) => drop(method, http),
    [`${name} names "namespace_kez" as its namespace, which is no text field`]: (_, method) =>
      replace(method, access, 'namespace_key', 'namespace_kez'),
    [`${name} names "namespace_key" as its namespace, which is no text field`]: (set, method) => {
      const messages = set.file.flatMap(({ messageType }) => messageType)
      const request = messages.find(({ name }) => name === 'GetFlagRequest')
      const field = request?.field.find(({ name }) => name === 'namespace_key')
      if (field) field.type = 8
      replace(method, http, '{namespace_key}', 'a-namespace-key')
    },
    [`${url}{kez}" names "kez", which is no text field`]: (_, method) =>
      replace(method, http, '{key}', '{kez}'),
    [`${url}{k=*}" has the odd part "{k=*}"`]: (_, method) =>
      replace(method, http, '{key}', '{k=*}'),
    [`${name} has a URL and yet takes a stream`]: (_, method) => {
      method.clientStreaming = true
    },
  }
  for (const [message, change] of Object.entries(table)) {
    await t.test(`does not load: ${message}`, async (t) => {
      const set = fromBinary(FileDescriptorSetSchema, readDescriptorSet())
      const methods = set.file.flatMap(({ service }) => service.flatMap(({ method }) => method))
      const getFlag = methods.find(({ name }) => name === 'GetFlag')
      if (getFlag === undefined) throw new Error('there is no GetFlag')
      change(set, getFlag)
      const changed = toBinary(FileDescriptorSetSchema, set)
      t.throws(() => readContract(changed), { code: 'failed_precondition', message })
    })
  }
})
