import { type DescMessage, ScalarType } from '@bufbuild/protobuf'

/** The path of a URL, in which some segments stand for fields of the request. */
export interface Template {
  /** As in the proto, with fields by their names in JSON: `/api/v1/flags/{flagKey}/rules`. */
  readonly text: string
  /** As the router takes it: `/api/v1/flags/:flagKey/rules`. */
  readonly url: string
  /** The names in JSON of the fields that are in the path. */
  readonly fields: readonly string[]
}

const literal = /^[A-Za-z0-9._~-]+$/
const variable = /^\{([a-z][a-z0-9_]*)\}$/

/**
 * Takes the part of `google.api.http` templates that we use: whole segments, text or one field.
 *
 * @throws {Error} that says what is wrong with it
 */
export function parseTemplate(template: string, input: DescMessage): Template {
  if (!template.startsWith('/')) throw new Error(`the URL "${template}" does not begin with "/"`)
  const fields: string[] = []
  const segments = template
    .slice(1)
    .split('/')
    .map((segment) => {
      if (literal.test(segment)) return { text: segment, url: segment }
      const name = variable.exec(segment)?.[1]
      if (name === undefined) throw new Error(`the URL "${template}" has the odd part "${segment}"`)
      const field = input.fields.find((candidate) => candidate.name === name)
      if (field?.fieldKind !== 'scalar' || field.scalar !== ScalarType.STRING) {
        throw new Error(`the URL "${template}" names "${name}", which is no text field`)
      }
      fields.push(field.jsonName)
      return { text: `{${field.jsonName}}`, url: `:${field.jsonName}` }
    })
  return {
    text: `/${segments.map(({ text }) => text).join('/')}`,
    url: `/${segments.map(({ url }) => url).join('/')}`,
    fields,
  }
}
