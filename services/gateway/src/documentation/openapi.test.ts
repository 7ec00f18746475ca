import { Validator } from '@seriousme/openapi-schema-validator'
import { contract } from '@svc/contract/testing'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { toOpenApi } from './openapi.ts'

const document = toOpenApi(contract)

const formats = ['int32', 'float', 'double', 'date-time', 'uuid', 'go-duration', 'ip-range']

/** As a client gets it. */
const sent = JSON.parse(JSON.stringify(document))

// biome-ignore lint/suspicious/noExplicitAny: a document that is read in many places
type Json = any

/** The contents of a request or an answer, by what leads to them in the document. */
function contentsOf(at: string, body: Json): [at: string, content: Json][] {
  return Object.entries<Json>(body?.content ?? {}).map(([type, content]) => [
    `${at}/content/${type.replaceAll('/', '~1')}`,
    content,
  ])
}

t.test('the OpenAPI document', async (t) => {
  await t.test('is one', async (t) => {
    const { valid, errors } = await new Validator().validate(structuredClone(sent))
    t.equal(valid, true, JSON.stringify(errors))
  })

  await t.test('has schemas that compile, and references that lead somewhere', async (t) => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false })
    for (const format of formats) ajv.addFormat(format, true)
    const moved = JSON.stringify(sent.components.schemas).replaceAll(
      '#/components/schemas',
      '#/$defs',
    )
    ajv.addSchema({ $id: 'document:', $defs: JSON.parse(moved) })
    const names = Object.keys(sent.components.schemas)
    t.ok(names.length > 40)
    for (const name of names) t.ok(ajv.compile({ $ref: `document:#/$defs/${name}` }), name)
    const references = [...JSON.stringify(sent).matchAll(/"\$ref":"#\/([^"]+)"/g)]
    for (const [, reference = ''] of references) {
      const target = reference.split('/').reduce((value, name) => value?.[name], sent)
      if (target === undefined) t.fail(reference)
    }
  })

  await t.test('has every URL of every method, and no other', async (t) => {
    const expected = contract.operations.flatMap(({ bindings }) =>
      bindings.map(({ verb, template }) => `${verb.toLowerCase()} ${template.text}`),
    )
    const described = Object.entries<object>(sent.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((verb) => `${verb} ${path}`),
    )
    t.strictSame(described.sort(), expected.sort())
  })

  await t.test('gives each operation a name of its own', async (t) => {
    const names = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId),
    )
    t.equal(new Set(names).size, names.length)
    t.ok(names.includes('getFlag'))
    t.ok(names.includes('getFlag2'))
    t.ok(names.includes('oidcAuthorize'))
  })

  await t.test('says what the protos say', async (t) => {
    const operation = sent.paths['/api/v1/namespaces/{namespaceKey}/flags/{key}'].put
    t.strictSame(operation.tags, ['Flag'])
    t.equal(
      operation.summary,
      'Replaces the name, description, state, default variant and metadata of a flag',
    )
    t.strictSame(operation.security, [{ bearer: [] }, { cookie: [] }])
    t.equal(Object.keys(operation.responses).join(), '200,400,401,403,404,409,412,413,429,503')
    const key = { pattern: '^[-_,A-Za-z0-9]+$', maxLength: 255 }
    t.strictSame(operation.parameters[0], {
      name: 'namespaceKey',
      in: 'path',
      description: 'The namespace; empty means `default`.',
      schema: { type: 'string', ...key, minLength: 1, examples: ['default'] },
      example: 'default',
      required: true,
    })
    const { schema } = operation.requestBody.content['application/json']
    const names = 'name,description,enabled,defaultVariantId,metadata'
    t.equal(Object.keys(schema.properties).join(), names)
    t.strictSame(schema.properties.metadata, {
      type: 'object',
      additionalProperties: true,
      description: 'Left out: unchanged. `{}`: removed. At most 65,536 bytes.',
      examples: [{ owner: 'payments' }],
    })
    t.strictSame(sent.paths['/auth/v1/method'].get.security, [])
    t.strictSame(sent.paths['/api/v1/flags'].get.parameters[1], {
      name: 'limit',
      in: 'query',
      description: 'How many to return at most. 0 returns all.',
      schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2147483647 },
    })
  })

  await t.test(
    'says what is always there in an answer, and what a request has to have',
    async (t) => {
      const { Flag, Rollout, RolloutThreshold, RolloutThresholdInput, FlagType } =
        sent.components.schemas
      const always = 'key,name,description,enabled,createdAt,updatedAt,variants,namespaceKey,type'
      t.equal(Flag.required.join(), always)
      t.strictSame(Rollout.not, { anyOf: [{ required: ['segment', 'threshold'] }] })
      t.strictSame(RolloutThreshold.required, ['percentage', 'value'])
      t.equal(RolloutThresholdInput.required, undefined)
      t.match(RolloutThresholdInput.properties.percentage, { minimum: 0, maximum: 100 })
      const { post } = sent.paths['/api/v1/segments/{segmentKey}/constraints']
      t.equal(post.requestBody.required, true)
      const { schema } = post.requestBody.content['application/json']
      t.strictSame(schema.required, ['type', 'property', 'operator'])
      t.notOk(schema.properties.type.enum.includes('UNKNOWN_COMPARISON_TYPE'))
      t.match(schema.properties.property, { minLength: 1, maxLength: 255 })
      t.match(schema.properties.namespaceKey, { pattern: '^[-_,A-Za-z0-9]*$', maxLength: 255 })
      const rule = sent.paths['/api/v1/flags/{flagKey}/rules'].post.requestBody
      t.equal(rule.required, true)
      t.equal(sent.paths['/evaluate/v1/batch'].post.requestBody.required, undefined)
      t.strictSame(rule.content['application/json'].schema.oneOf, [
        { required: ['segmentKey'] },
        { required: ['segmentKeys'] },
      ])
      t.strictSame(FlagType.enum, ['VARIANT_FLAG_TYPE', 'BOOLEAN_FLAG_TYPE'])
      t.match(FlagType.description, /`BOOLEAN_FLAG_TYPE`: Serves true or false/)
    },
  )

  await t.test(
    'shows an example of each request and answer, which its schema allows',
    async (t) => {
      const ajv = new Ajv2020({ strict: false })
      for (const format of formats) ajv.addFormat(format, true)
      ajv.addSchema(sent, 'document')
      const responses = Object.entries<Json>(sent.components.responses)
      const operations = Object.entries<Json>(sent.paths).flatMap(([path, verbs]) =>
        Object.entries<Json>(verbs).flatMap(([verb, { requestBody, responses }]) => {
          const at = `/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${verb}`
          return [
            ...contentsOf(`${at}/requestBody`, requestBody),
            ...contentsOf(`${at}/responses/200`, responses[200]),
          ]
        }),
      )
      const failures = responses.flatMap(([name, response]) =>
        contentsOf(`/components/responses/${name}`, response),
      )
      t.ok(operations.length > 100)
      for (const [at, { example }] of [...operations, ...failures]) {
        const validate = ajv.getSchema(`document#${at}/schema`)
        if (at.includes('text~1event-stream'))
          t.match(example, /^id: 42\n(event: \w+\n)?data: \{.*\}\n\n/)
        else t.ok(validate?.(example), `${at}: ${ajv.errorsText(validate?.errors)}`)
        t.notMatch(JSON.stringify(example), /:"string"/, at)
      }
    },
  )

  await t.test('describes the tags of records, and If-Match on every change of one', async (t) => {
    const tagged = Object.entries<Json>(sent.paths).flatMap(([path, verbs]) =>
      Object.entries<Json>(verbs).flatMap(([verb, { parameters, responses }]) => {
        const names = parameters.map(({ $ref = '' }: Json) => $ref.split('/').at(-1))
        const takes = names.includes('IfMatch')
        t.equal(takes, responses[412] !== undefined, path)
        if (takes) t.ok(names.includes('Comment') && responses[200].headers['X-Svc-Revision'])
        return responses[200].headers?.ETag ? [`${verb} ${path}${takes ? ' *' : ''}`] : []
      }),
    )
    const flag = '/api/v1/namespaces/{namespaceKey}/flags/{key}'
    for (const one of [`get ${flag}`, `put ${flag} *`, `delete ${flag} *`])
      t.ok(tagged.includes(one))
    const reads = tagged.filter((one) => /^get .*namespaces/.test(one))
    t.equal(reads.length, 7, 'of a flag, segment, rule, rollout, namespace and two documents')
  })

  await t.test('describes every event of a stream, by its name', async (t) => {
    const eventsOf = (path: string) => {
      const { get } = sent.paths[path]
      const { schema } = get.responses[200].content['text/event-stream']
      return schema.oneOf.map(({ properties }: Json) => [
        properties.event.enum[0],
        properties.data.$ref,
      ])
    }
    t.strictSame(eventsOf('/internal/v1/evaluation/stream/namespace/{key}'), [
      ['snapshot', '#/components/schemas/Snapshot'],
      ['change', '#/components/schemas/SnapshotChange'],
    ])
    t.strictSame(eventsOf('/internal/v1/evaluation/records/namespace/{key}/stream'), [
      ['whole', '#/components/schemas/Records'],
      ['change', '#/components/schemas/Records'],
    ])
    const others = sent.paths['/ofrep/v1/namespaces/{key}/events'].get
    t.match(others.responses[200].content['text/event-stream'].schema.properties, {
      event: undefined,
      data: { $ref: '#/components/schemas/NamespaceEvent' },
    })
  })

  await t.test('says beside PUT that it replaces', async (t) => {
    for (const [path, { put }] of Object.entries<Json>(sent.paths)) {
      if (put === undefined || !/[}]$/.test(path)) continue
      t.match(put.description, /^Replaces .* left\s+out become/s, path)
    }
  })

  await t.test('begins with flags and their evaluation, and has services with a URL', async (t) => {
    const tags = document.tags.map(({ name }) => name)
    t.strictSame(tags.slice(0, 3), ['Flag', 'Evaluation', 'Namespace'])
    t.ok(tags.indexOf('Authentication') > tags.indexOf('Rollout'))
    for (const name of ['Watch', 'Identity']) t.notOk(tags.includes(name), name)
  })
})
