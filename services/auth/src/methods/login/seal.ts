import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

const ivLength = 12
const tagLength = 16

/**
 * AES-256-GCM. The text begins with the id of its key, so that keys can be changed.
 *
 * @param context authenticated with the text; it opens with the same context only
 */
export function seal(key: Buffer, context: string, text: string): string {
  const iv = randomBytes(ivLength)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
  const body = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return `${idOf(key)}.${Buffer.concat(body).toString('base64url')}`
}

/** @returns `undefined` when it was not sealed with one of these keys for this context */
export function open(keys: readonly Buffer[], context: string, sealed: string): string | undefined {
  const [id, body = '', ...more] = sealed.split('.')
  const key = keys.find((one) => idOf(one) === id)
  const bytes = Buffer.from(body, 'base64url')
  // Of several spellings of the same bytes only the canonical one is accepted.
  const isCanonical = more.length === 0 && bytes.toString('base64url') === body
  if (key === undefined || !isCanonical || bytes.length < ivLength + tagLength) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivLength), {
    authTagLength: tagLength,
  })
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagLength))
  try {
    const text = decipher.update(bytes.subarray(ivLength, -tagLength), undefined, 'utf8')
    return text + decipher.final('utf8')
  } catch {
    return undefined
  }
}

function idOf(key: Buffer): string {
  return createHash('sha256').update('key id\n').update(key).digest('base64url').slice(0, 8)
}

/** A login. What is sealed for one cannot be opened for another. */
export interface SealedFor {
  readonly authenticationId: string
  readonly clientToken: string
}

/** Each kind has keys of its own. */
export type SealedKind = 'svc cli code' | 'svc code host access token' | 'svc oidc id token'

/**
 * Seals a secret of an identity provider so that this service cannot read it by itself: the key is
 * derived from the client token, which only the browser has. See docs/decisions/0011.
 */
export function sealForLogin(kind: SealedKind, text: string, login: SealedFor): string {
  return seal(keyOf(kind, login), login.authenticationId, text)
}

/** @returns `undefined` when it was not sealed for this login and this client token */
export function openForLogin(
  kind: SealedKind,
  sealed: string,
  login: SealedFor,
): string | undefined {
  return open([keyOf(kind, login)], login.authenticationId, sealed)
}

/** A client token has 256 random bits, so no slower key derivation is needed. */
function keyOf(kind: SealedKind, { clientToken }: SealedFor): Buffer {
  return Buffer.from(hkdfSync('sha256', clientToken, '', kind, 32))
}
