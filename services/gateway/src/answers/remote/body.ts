import type { JsonObject, Operation } from '@svc/contract'
import { invalidArgument } from '@svc/runtime'
import { readJson } from '../../http/body.ts'
import { Refusal } from '../../http/errors.ts'
import type { Received } from '../../http/exchange.ts'
import { rawHeaderValues } from '../../http/raw-headers.ts'

const formType = 'application/x-www-form-urlencoded'

/** Twice the longest JWT that is read. */
const maxFormBytes = 16 * 1024

/** Above what the standards of such forms name. */
const maxFormFields = 16

/** @throws {AppError} `invalid_argument` for a body that is not what the operation takes */
export function readBody({ route }: Operation, request: Received): JsonObject {
  return route.body === 'FORM' ? readForm(request) : readJson(request)
}

function readForm({ body, raw }: Received): JsonObject {
  if (body === undefined || body.length === 0) return {}
  const [type = ''] = rawHeaderValues(raw.rawHeaders, 'content-type')
  if (!type.toLowerCase().startsWith(formType)) throw invalidArgument('the body has to be a form')
  if (body.length > maxFormBytes) throw new Refusal('body_too_large')
  const text = body.toString()
  if (text.split('&', maxFormFields + 1).length > maxFormFields) {
    throw invalidArgument(`the form has more than ${maxFormFields} fields`)
  }
  const fields = [...new URLSearchParams(text)]
  const form = new Map(fields)
  if (form.size < fields.length) throw invalidArgument('the form has a name twice')
  return Object.fromEntries(form)
}
