import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { toOpenApi } from './openapi.ts'
import { contract } from './testing.ts'

const document = toOpenApi(contract)

/** As a client gets it. */
const sent = JSON.parse(JSON.stringify(document))

t.test('the OpenAPI document', async (t) => {
  await t.test('is one', async (t) => {
    const { valid, errors } = await new Validator().validate(structuredClone(sent))
    t.equal(valid, true, JSON.stringify(errors))
  })

  await t.test('has schemas that compile, and references that lead somewhere', async (t) => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false })
    for (const format of ['int32', 'float', 'double', 'date-time']) ajv.addFormat(format, true)
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
    const expected = contract.methods.flatMap(({ bindings }) =>
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

  await t.test('tells what the protos tell', async (t) => {
    const operation = sent.paths['/api/v1/namespaces/{namespaceKey}/flags/{key}'].put
    t.strictSame(operation.tags, ['Flag'])
    t.equal(
      operation.summary,
      'Replaces the name, description, state, default variant and metadata of a flag',
    )
    t.strictSame(operation.security, [{ bearer: [] }, { cookie: [] }])
    t.strictSame(Object.keys(operation.responses), [
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '429',
      '503',
    ])
    t.strictSame(operation.parameters[0], {
      name: 'namespaceKey',
      in: 'path',
      description: 'The namespace; empty means `default`.',
      schema: { type: 'string', pattern: '^[-_,A-Za-z0-9]+$', maxLength: 255 },
      required: true,
    })
    const { schema } = operation.requestBody.content['application/json']
    t.strictSame(Object.keys(schema.properties), [
      'name',
      'description',
      'enabled',
      'defaultVariantId',
      'metadata',
    ])
    t.strictSame(schema.properties.metadata, {
      type: 'object',
      additionalProperties: true,
      description: 'Left out: unchanged. `{}`: removed.',
    })
    t.strictSame(sent.paths['/auth/v1/method'].get.security, [])
    t.strictSame(sent.paths['/api/v1/flags'].get.parameters[1], {
      name: 'limit',
      in: 'query',
      description: 'How many to return at most. 0 returns all.',
      schema: { type: 'integer', format: 'int32' },
    })
  })

  await t.test('says what is always there in an answer, and asks for nothing', async (t) => {
    const { Flag, Rollout, RolloutThreshold, RolloutThresholdInput, FlagType } =
      sent.components.schemas
    t.strictSame(Flag.required, [
      'key',
      'name',
      'description',
      'enabled',
      'variants',
      'namespaceKey',
      'type',
    ])
    t.strictSame(Rollout.not, { anyOf: [{ required: ['segment', 'threshold'] }] })
    t.strictSame(RolloutThreshold.required, ['percentage', 'value'])
    t.equal(RolloutThresholdInput.required, undefined)
    t.strictSame(FlagType.enum, ['VARIANT_FLAG_TYPE', 'BOOLEAN_FLAG_TYPE'])
    t.match(FlagType.description, /`BOOLEAN_FLAG_TYPE`: Serves true or false/)
  })

  await t.test('leaves out services without a URL', async (t) => {
    const tags = document.tags.map(({ name }) => name)
    t.ok(tags.includes('Flag'))
    t.notOk(tags.includes('Watch'))
    t.notOk(tags.includes('Identity'))
  })
})
