import { execFile, spawn } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { loadDemo } from '@svc/local/demo'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { startStack } from '../../support/stack.ts'

/** This file is test/dist/integration/openfeature/docs.test.js. */
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const page = readFileSync(join(root, 'docs/openfeature.md'), 'utf8')

/** The programs, each with what it prints. */
const programs = Array.from(
  page.matchAll(/```js\n\/\/ (\S+)\n(.*?)```\n\nIt prints:\n\n```\n(.*?)```/gs),
  ([, name = '', program = '', printed = '']) => ({ name, program, printed }),
)

t.test('the programs of docs/openfeature.md print what is printed there', async (t) => {
  const { urls, token, createNamespacedToken } = await startStack(t, {
    env: { SVC_AUTHENTICATION_EXCLUDE_OFREP: 'true' },
  })
  const [url] = urls
  await loadDemo(url, token)
  const env = { ...process.env, SVC_URL: url, SVC_TOKEN: await createNamespacedToken('default') }
  t.strictSame(
    programs.map(({ name }) => name),
    ['main.mjs', 'app.js'],
  )
  for (const { name, program, printed } of programs) {
    const folder = t.testdir({ 'package.json': '{"type":"module"}' })
    symlinkSync(join(root, 'test/node_modules'), join(folder, 'node_modules'))
    // Where the service is; nothing else of it differs.
    writeFileSync(join(folder, name), program.replaceAll('http://localhost:8080', url))
    t.equal(await run(join(folder, name), { cwd: folder, env }, printed), printed, name)
  }
})

interface Where {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** @returns what a program prints; one for pages is ended when that is all of it, for it has no end */
async function run(file: string, where: Where, printed: string): Promise<string> {
  if (file.endsWith('.mjs')) {
    const options = { ...where, timeout: 30_000 }
    return (await promisify(execFile)(process.execPath, [file], options)).stdout
  }
  const child = spawn(process.execPath, [file], where)
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  try {
    await waitFor(() => text.length >= printed.length || child.exitCode !== null)
    return text
  } finally {
    child.kill()
  }
}
