import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** What publint and arethetypeswrong hold against a tarball; none when applications can use it. */
export async function findProblems(tarball: string): Promise<string[]> {
  return [...(await lint(tarball)), ...(await checkTypes(tarball))]
}

async function lint(tarball: string): Promise<string[]> {
  const { buffer, byteOffset, byteLength } = await readFile(tarball)
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength)
  const { messages, pkg } = await publint({ pack: { tarball: bytes }, strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, pkg) ?? message.code}`)
}

/** How long the check of a package's types may take, in milliseconds: it starts a compiler. */
const typesTimeoutMs = 120_000

/** All of ours are ES modules, so nothing is held against them for CommonJS. */
const profile = 'esm-only'

async function checkTypes(tarball: string): Promise<string[]> {
  const require = createRequire(import.meta.url)
  const manifest = require.resolve('@arethetypeswrong/cli/package.json')
  const { bin } = require(manifest) as { bin: { attw: string } }
  const script = join(dirname(manifest), bin.attw)
  const args = [
    script,
    tarball,
    '--profile',
    profile,
    '--no-color',
    '--no-emoji',
    '--format',
    'ascii',
  ]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: typesTimeoutMs }, (error, stdout, stderr) => {
      resolve(error === null ? [] : [`arethetypeswrong: ${stdout}${stderr}`])
    })
  })
}
