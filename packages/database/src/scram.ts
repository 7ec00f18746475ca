import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/** What the server stores of a password (RFC 5803): a statement with the password might be logged. */
export function scramVerifier(password: string): string {
  const iterations = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(prepared(password), salt, iterations, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const serverKey = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

/** Spaces beyond ASCII, which become usual ones (RFC 3454, table C.1.2). */
const otherSpaces = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g

/** What is left out (RFC 3454, table B.1). */
const nothing =
  /\u00ad|\u034f|\u1806|\u180b|\u180c|\u180d|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g

/** The password as the driver takes it when it logs in: by SASLprep (RFC 4013), which forbids nothing there. */
function prepared(password: string): string {
  return password.replace(otherSpaces, ' ').replace(nothing, '').normalize('NFKC')
}
