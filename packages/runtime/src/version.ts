import { readFileSync } from 'node:fs'

const manifest: unknown = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/** Version of this build, such as `1.0.0`: of all packages and images, which a test holds. */
export const version = versionIn(manifest)

function versionIn(manifest: unknown): string {
  const isObject = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  if (isObject && typeof manifest.version === 'string') return manifest.version
  throw new TypeError('package.json of the runtime has no version')
}
