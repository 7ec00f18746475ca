// The library needs it, and needs it first.
import 'reflect-metadata'
import { randomUUID, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

/** A certificate with its private key, both as PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

export interface CertificateAuthority {
  /** What to trust in order to trust all that it issues, as PEM. */
  readonly cert: string
  /** Issues a certificate for host names, IP addresses and URIs, for servers and clients alike. */
  issue(...names: readonly string[]): Promise<KeyPair>
  /** One that was good until an hour ago. */
  issueExpired(...names: readonly string[]): Promise<KeyPair>
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** An authority of the test's own, which no other program trusts. */
export async function createAuthority(): Promise<CertificateAuthority> {
  const keys = await generateKeys()
  const issuer = `CN=Authority ${randomUUID()}`
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: issuer,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  const issue = async (names: readonly string[], dates = validity()) => {
    const own = await generateKeys()
    const issued = await x509.X509CertificateGenerator.create({
      ...dates,
      subject: 'CN=test',
      issuer,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.SubjectAlternativeNameExtension(
          names.map((value) => ({ type: typeOf(value), value })),
        ),
      ],
    })
    return { cert: issued.toString('pem'), key: await toPem(own.privateKey) }
  }
  return {
    cert: certificate.toString('pem'),
    issue: (...names) => issue(names),
    issueExpired: (...names) =>
      issue(names, { ...validity(), notAfter: new Date(Date.now() - 3_600_000) }),
  }
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

/** Around now, for clocks of tests are moved at times. */
function validity() {
  const dayMs = 86_400_000
  return { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 30 * dayMs) }
}

function typeOf(name: string): 'ip' | 'url' | 'dns' {
  if (isIP(name) !== 0) return 'ip'
  return name.includes('://') ? 'url' : 'dns'
}

async function toPem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}
