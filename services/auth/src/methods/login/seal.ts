import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

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
  const sealed = Buffer.concat([
    iv,
    cipher.update(text, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  return `${idOf(key)}.${sealed.toString('base64url')}`
}

/** @returns `undefined` when it was not sealed with one of these keys for this context */
export function open(keys: readonly Buffer[], context: string, sealed: string): string | undefined {
  const [id, body = '', ...more] = sealed.split('.')
  const key = keys.find((one) => idOf(one) === id)
  const bytes = Buffer.from(body, 'base64url')
  // Of several spellings of the same bytes only the canonical one is accepted.
  const isCanonical = more.length === 0 && bytes.toString('base64url') === body
  if (key === undefined || !isCanonical) return undefined
  if (bytes.length < ivLength + tagLength) return undefined
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
