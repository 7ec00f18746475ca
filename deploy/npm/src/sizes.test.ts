import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { transform } from 'esbuild'
import t from 'tap'
import { bundle } from './bundle.ts'

/** This file is deploy/npm/dist/sizes.test.js. */
const client = fileURLToPath(new URL('../../../packages/client/', import.meta.url))

/** All that an application loads with the first import of the client, minified and as gzip sends it. */
const entries = [
  { file: './dist/index.js', isForBrowsers: false, maxKb: 26 },
  { file: './dist/browser.js', isForBrowsers: true, maxKb: 10 },
]

for (const { file, isForBrowsers, maxKb } of entries) {
  t.test(`${file} of the client has at most ${maxKb} KB`, async (t) => {
    const to = t.testdir()
    await bundle({ file, kind: 'script', isForBrowsers }, { from: client, to, external: [] })
    const { code } = await transform(await readFile(join(to, file), 'utf8'), {
      minify: true,
      format: 'esm',
    })
    t.match(code, /\bconnect\b/)
    const bytes = gzipSync(code).length
    t.comment(`${file}: ${bytes} bytes of gzip, ${code.length} minified`)
    t.ok(bytes <= maxKb * 1000, `${bytes} bytes`)
  })
}
