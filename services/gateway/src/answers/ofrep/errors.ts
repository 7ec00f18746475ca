import type { ErrorBody } from '../../http/errors.ts'

/** The body of a failed request in the form of OFREP. */
export const ofrepErrorBody: ErrorBody = ({ code, message }, status) => {
  const errorCode =
    code === 'not_found' ? 'FLAG_NOT_FOUND' : status === 400 ? 'INVALID_CONTEXT' : 'GENERAL'
  return JSON.stringify({ errorCode, errorDetails: message })
}

/** The same where one flag was asked for: clients insist on its key. */
export const flagErrorBody: ErrorBody = (error, status, { key }) => {
  const body = ofrepErrorBody(error, status, {})
  // A URL that is too long was cut, and its key with it.
  return key && error.reason !== 'url_too_long'
    ? `{"key":${JSON.stringify(key)},${body.slice(1)}`
    : body
}
