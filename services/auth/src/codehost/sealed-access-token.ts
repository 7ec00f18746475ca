import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

// An access token is kept only in a form that the service itself cannot read: the key is made of
// the client token, which the browser alone has. docs/decisions/0012-memberships-again.md has the reasons.

const algorithm = 'aes-256-gcm'
const ivLength = 12
const tagLength = 16

export interface SealedFor {
  /** Whose login it is. What is sealed for one login cannot be opened for another. */
  readonly authenticationId: string
  readonly clientToken: string
}

export function sealAccessToken(accessToken: string, login: SealedFor): Buffer {
  const iv = randomBytes(ivLength)
  const cipher = createCipheriv(algorithm, keyOf(login), iv).setAAD(aad(login))
  return Buffer.concat([
    iv,
    cipher.update(accessToken, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}

/** @returns `undefined` when it was not sealed for this login and this client token */
export function openAccessToken(sealed: Buffer, login: SealedFor): string | undefined {
  if (sealed.length < ivLength + tagLength) return undefined
  const iv = sealed.subarray(0, ivLength)
  const decipher = createDecipheriv(algorithm, keyOf(login), iv, { authTagLength: tagLength })
  decipher.setAAD(aad(login)).setAuthTag(sealed.subarray(-tagLength))
  const text = decipher.update(sealed.subarray(ivLength, -tagLength))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** A client token has 256 random bits, so that nothing slower is needed to make a key of it. */
function keyOf({ clientToken }: SealedFor): Buffer {
  return Buffer.from(hkdfSync('sha256', clientToken, '', 'svc code host access token', 32))
}

function aad({ authenticationId }: SealedFor): Buffer {
  return Buffer.from(authenticationId)
}
