import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import type { Service } from '../support/service-process.ts'

const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')

/** Something that each setting accepts. */
const values: Readonly<Record<string, string>> = {
  'db.url': 'postgres://svc:secret@127.0.0.1:5432/svc',
  'internal.secret': 'what-all-services-of-a-test-share-0001',
  'internal.assertion_key': 'what-auth-and-resource-share-alone-0002',
}

/** @returns the lines with which `--check` refuses these settings */
async function problemsOf(service: Service, keys: readonly string[]): Promise<string[]> {
  const main = fileURLToPath(import.meta.resolve(`@svc/${service}/main`))
  const variables = keys.map((key) => [variableOf(key), values[key]])
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', ...Object.fromEntries(variables) }
  const running = promisify(execFile)(process.execPath, [main, '--check'], { env })
  const { stderr } = await running.catch((error: { stderr: string; code: number }) => {
    t.equal(error.code, 2)
    return error
  })
  return stderr.split('\n').filter((line) => line !== '')
}

function variableOf(key: string): string {
  return `SVC_${key.toUpperCase().replaceAll('.', '_')}`
}

/** The rows of the table: a setting, and the services that need it. */
const [, section = ''] = page.split('\n### What has to be set\n')
const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(.+?)` \| (.+?) \|/gm)].map(
  ([, key = '', services = '']) => ({ key, services: services.split(', ') }),
)

for (const service of ['gateway', 'auth', 'resource'] as const) {
  const needed = rows.filter(({ services }) => services.includes(service)).map(({ key }) => key)
  t.test(`${service} needs what docs/configuration.md says, and nothing else`, async (t) => {
    t.ok(needed.length > 0)
    t.strictSame(await problemsOf(service, needed), [])
    const missing = await problemsOf(service, [])
    t.strictSame(
      missing.map((line) => / is missing\./.test(line) && line.split(' ')[0]),
      needed,
    )
  })
}
