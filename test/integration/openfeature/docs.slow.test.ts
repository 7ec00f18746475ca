import { execFile, spawn } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { loadDemo } from '@svc/local/demo'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { type PrintedProgram, readPrograms } from '../../support/openfeature-programs.ts'
import { startStack } from '../../support/stack.ts'

/** This file is test/dist/integration/openfeature/docs.slow.test.js. */
const root = fileURLToPath(new URL('../../../../', import.meta.url))

t.test('the programs of docs/openfeature.md print what is printed there', async (t) => {
  const { urls, token, createNamespacedToken } = await startStack(t, {
    env: { SVC_AUTHENTICATION_EXCLUDE_OFREP: 'true' },
  })
  const [url] = urls
  await loadDemo(url, token)
  const env = { ...process.env, SVC_URL: url, SVC_TOKEN: await createNamespacedToken('default') }
  const programs = readPrograms(url)
  t.strictSame(
    programs.map(({ name }) => name),
    ['main.mjs', 'app.js'],
  )
  for (const program of programs) {
    const folder = t.testdir({ 'package.json': '{"type":"module"}' })
    symlinkSync(join(root, 'test/node_modules'), join(folder, 'node_modules'))
    t.equal(await run(program, { cwd: folder, env }), program.output, program.name)
  }
})

interface Where {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** @returns what a program prints; the one for pages has no end, and is ended when that is all of it */
async function run({ name, text, output }: PrintedProgram, where: Where): Promise<string> {
  writeFileSync(join(where.cwd, name), text)
  if (name.endsWith('.mjs')) {
    const options = { ...where, timeout: 30_000 }
    return (await promisify(execFile)(process.execPath, [name], options)).stdout
  }
  const child = spawn(process.execPath, [name], where)
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  try {
    await waitFor(() => printed.length >= output.length || child.exitCode !== null)
    return printed
  } finally {
    child.kill()
  }
}
