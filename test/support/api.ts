import type { Request } from './http.ts'

/** Makes an enabled boolean flag in the namespace `default`. @returns what was sent */
export async function createFlag(api: Request, key = 'on') {
  const flag = { key, name: key, type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  const { status, text } = await api('POST', '/api/v1/namespaces/default/flags', flag)
  if (status !== 200) throw new Error(`making ${key}: ${text}`)
  return flag
}

/** Makes a token, which may do everything by default. */
export async function createToken(api: Request, more: object = {}) {
  const { body, status, text } = await api('POST', '/auth/v1/method/token', { name: 't', ...more })
  if (status !== 200) throw new Error(`making a token: ${text}`)
  const { clientToken, authentication } = body as {
    clientToken: string
    authentication: { id: string }
  }
  return { clientToken, id: authentication.id, authorization: `Bearer ${clientToken}` }
}
