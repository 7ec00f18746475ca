import { fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
  type MethodDescriptorProto,
} from '@bufbuild/protobuf/wkt'
import t from 'tap'
import { loadContract, readDescriptorSet } from './contract.ts'
import { bound, contract } from './testing.ts'

t.test('the contract of the protos', async (t) => {
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
        alwaysAuthenticated: false,
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
    const scopeOf = (name: string) =>
      contract.operations.find((operation) => operation.name === name)?.access.scope
    t.strictSame(scopeOf('GetNamespace'), { case: 'namespace', field: ['key'] })
    t.strictSame(scopeOf('EvaluateBatch'), {
      case: 'namespace',
      field: ['requests', 'namespaceKey'],
    })
    t.strictSame(scopeOf('EvaluateFlags'), {
      case: 'namespaceHeader',
      header: 'X-Svc-Namespace',
    })
    t.strictSame(scopeOf('ListNamespaces'), { case: 'global' })
    t.strictSame(scopeOf('ListMethods'), { case: 'public' })
    t.strictSame(scopeOf('Watch'), { case: 'internal' })
    t.equal(bound('CreateToken').operation.access.alwaysAuthenticated, true)
  })

  await t.test(
    'says how an operation is served: what its service says, and it besides',
    async (t) => {
      const routeOf = (name: string) =>
        contract.operations.find((operation) => operation.name === name)?.route
      t.strictSame(routeOf('GetFlag'), {
        area: 'MANAGEMENT',
        answeredBy: 'RESOURCE_SERVICE',
        login: undefined,
        body: 'JSON',
        loginMethod: '',
      })
      t.match(routeOf('EvaluateBatch'), { area: 'EVALUATION', answeredBy: 'GATEWAY' })
      t.match(routeOf('BackchannelLogout'), { area: 'AUTH', body: 'FORM', loginMethod: 'oidc' })
      t.match(routeOf('SignIn'), { answeredBy: 'AUTH_SERVICE', login: 'OWN_PAGE', body: 'JSON' })
      t.match(routeOf('Watch'), { answeredBy: 'RESOURCE_SERVICE' })
    },
  )

  await t.test('knows what is a stream', async (t) => {
    t.equal(bound('WatchNamespace').operation.isStream, true)
    t.equal(bound('GetFlag').operation.isStream, false)
  })

  await t.test('gives no URL to internal methods', async (t) => {
    const internal = contract.operations.filter(({ access }) => access.scope.case === 'internal')
    t.ok(internal.length > 0)
    t.strictSame(
      internal.flatMap(({ bindings }) => bindings),
      [],
    )
  })

  await t.test(
    'changes nothing by GET, but for logins that go from one site to another',
    async (t) => {
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
    },
  )

  await t.test('keeps the comments of services, messages, fields and values', async (t) => {
    const { operation } = bound('CreateFlag')
    const [, , , , , type] = operation.input.fields
    t.equal(
      contract.comments.get(operation.output.fields[6] ?? {}),
      'In the order of their creation.',
    )
    t.equal(contract.comments.get(type?.enum?.values[1] ?? {}), 'Serves true or false.')
    t.equal(
      contract.services.find(({ name }) => name.endsWith('FlagService'))?.comment,
      'Flags are the named switches that applications ask about.',
    )
    const reason = bound('LegacyEvaluate').operation.output.fields.find(
      ({ name }) => name === 'reason',
    )
    t.equal(reason?.enum?.typeName, 'svc.evaluation.v1.LegacyEvaluateResponse.Reason')
  })
})

t.test('a contract that cannot hold', async (t) => {
  const http = 72295728
  const access = 50100
  const routes = 50105

  /** The descriptor set, after a change to the method GetFlag or its request. */
  const changed = (change: (method: MethodDescriptorProto, request: DescriptorProto) => void) => {
    const set = fromBinary(FileDescriptorSetSchema, readDescriptorSet())
    change(find(set, 'GetFlag'), findMessage(set, 'GetFlagRequest'))
    return () => loadContract(toBinary(FileDescriptorSetSchema, set))
  }
  const drop = (method: MethodDescriptorProto, option: number) => {
    const { options } = method
    if (options?.$unknown) options.$unknown = options.$unknown.filter(({ no }) => no !== option)
  }
  const replace = (method: MethodDescriptorProto, option: number, from: string, to: string) => {
    const { options } = method
    if (!options?.$unknown) return
    options.$unknown = options.$unknown.map((field) => {
      if (field.no !== option) return field
      const text = Buffer.from(field.data).toString('latin1').replaceAll(from, to)
      return { ...field, data: Buffer.from(text, 'latin1') }
    })
  }
  const name = 'svc.resource.v1.FlagService.GetFlag'
  const table: [fault: string, load: () => unknown, message: string][] = [
    [
      'a method without an access annotation',
      changed((method) => drop(method, access)),
      `${name} has no access annotation`,
    ],
    [
      'a service that does not say who answers',
      () => {
        const set = fromBinary(FileDescriptorSetSchema, readDescriptorSet())
        for (const { options } of set.file.flatMap(({ service }) => service)) {
          if (options?.$unknown)
            options.$unknown = options.$unknown.filter(({ no }) => no !== routes)
        }
        loadContract(toBinary(FileDescriptorSetSchema, set))
      },
      ' has no route annotation with an area and who answers',
    ],
    ['a method without a URL', changed((method) => drop(method, http)), `${name} has no URL`],
    [
      'a namespace in a field that does not exist',
      changed((method) => replace(method, access, 'namespace_key', 'namespace_kez')),
      `${name} names "namespace_kez" as its namespace, which is no text field`,
    ],
    [
      'a namespace in a field that is no text',
      changed((method, request) => {
        const field = request.field.find((candidate) => candidate.name === 'namespace_key')
        if (field) field.type = 8
        replace(method, http, '{namespace_key}', 'a-namespace-key')
      }),
      `${name} names "namespace_key" as its namespace, which is no text field`,
    ],
    [
      'a URL with a field that does not exist',
      changed((method) => replace(method, http, '{key}', '{kez}')),
      `${name} cannot be served: the URL "/api/v1/namespaces/{namespace_key}/flags/{kez}" names ` +
        '"kez", which is no text field',
    ],
    [
      'a URL with a part that we do not serve',
      changed((method) => replace(method, http, '{key}', '{k=*}')),
      `${name} cannot be served: the URL "/api/v1/namespaces/{namespace_key}/flags/{k=*}" has the ` +
        'odd part "{k=*}"',
    ],
    [
      'a URL and a stream of requests',
      changed((method) => {
        method.clientStreaming = true
      }),
      `${name} has a URL and yet takes a stream`,
    ],
  ]
  for (const [fault, load, message] of table) {
    await t.test(`does not load with ${fault}, and names the method`, async (t) => {
      t.throws(load, { code: 'failed_precondition', message })
    })
  }
})

function find({ file }: FileDescriptorSet, name: string): MethodDescriptorProto {
  const methods = file.flatMap(({ service }) => service.flatMap(({ method }) => method))
  const method = methods.find((candidate) => candidate.name === name)
  if (method === undefined) throw new Error(`there is no ${name}`)
  return method
}

function findMessage({ file }: FileDescriptorSet, name: string): DescriptorProto {
  const messages = file.flatMap(({ messageType }) => messageType)
  const message = messages.find((candidate) => candidate.name === name)
  if (message === undefined) throw new Error(`there is no ${name}`)
  return message
}
