import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const program = fileURLToPath(new URL('./fast-api-calls.test.support.js', import.meta.url))

/** @returns the exit code of the program, or the signal that ended it */
async function run(...words: readonly string[]): Promise<number | string> {
  const flags = ['--allow-natives-syntax', '--max-old-space-size=64']
  const child = spawn(process.execPath, [...flags, program, ...words], { stdio: 'inherit' })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return code ?? signal ?? 'nothing'
}

t.test('what optimized code was made for may die while it calls Node.js', async (t) => {
  t.equal(await run(), 0)
  const asItIs = await run('as-it-is')
  t.comment(`with fast API calls Node.js ${process.versions.node} ends with ${asItIs}`)
})
