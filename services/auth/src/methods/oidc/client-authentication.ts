import type { ClientAuth } from 'openid-client'

/**
 * `client_secret_basic` of RFC 6749 section 2.3.1: id and secret as `application/x-www-form-urlencoded`
 * has them, in a header of Basic authentication.
 *
 * The library's own function escapes `-`, `_`, `.` and `*` as well, which the WHATWG's definition of
 * the form does not. Providers that decode read the same either way; those that compare the raw text
 * (LemonLDAP::NG) accept this form only.
 */
export function clientSecretBasic(secret: string): ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const credentials = [client_id, secret].map(toFormValue).join(':')
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
}

function toFormValue(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}
