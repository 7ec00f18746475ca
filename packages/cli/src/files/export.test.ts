import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { runLine, serve } from '../run.test.support.ts'

const program = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url))

/** A service with a flag whose description has so many characters. */
async function serveFlag(t: Test, length = 1): Promise<string> {
  const flag = { key: 'a', name: 'A', description: 'd'.repeat(length), type: 'BOOLEAN_FLAG_TYPE' }
  const { url } = await serve(t, () => ({
    body: { revision: 6, settings: {}, flags: [flag], segments: [], nextPageToken: '' },
  }))
  return url
}

t.test('an export of which a part is not written leaves the file before it', async (t) => {
  const folder = t.testdir({ 'backup.yml': 'before\n' })
  const file = join(folder, 'backup.yml')
  const url = await serveFlag(t, 20_000)
  // Files of 4 blocks at most, which are of 512 or 1024 bytes: as a disk that becomes full.
  const line = ['export', '--sort-by-key', '-o', file, '--url', url]
  const limited = ['-c', 'ulimit -f 4; exec "$@"', 'sh', process.execPath, program, ...line]
  const child = spawn('sh', limited, { env: { ...process.env, XDG_CONFIG_HOME: folder } })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  t.equal(code, 1)
  t.match(stderr, /backup\.yml cannot be written: EFBIG/)
  t.equal(await readFile(file, 'utf8'), 'before\n')
  t.strictSame(await readdir(folder), ['backup.yml'])
})

t.test('the draft of another container that has the same process id stays', async (t) => {
  const folder = t.testdir({})
  const file = join(folder, 'backup.yml')
  const other = `${file}.${process.pid}.tmp`
  await writeFile(other, 'theirs')
  const url = await serveFlag(t)
  const ended = await runLine(['export', '--sort-by-key', '-o', file, '--url', url])
  t.match(ended, { code: 0 })
  t.equal(await readFile(other, 'utf8'), 'theirs')
  t.match(await readFile(file, 'utf8'), /- key: a\n/)
})
