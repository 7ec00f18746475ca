import { readdirSync, readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { assetNames, assetsDirectory, isEditor, sizeOf, sumOf } from './support/assets.ts'

t.test('what is sent compressed is what is sent as it is', async (t) => {
  const files = readdirSync(assetsDirectory)
  const read = (name: string) => readFileSync(assetsDirectory + name)
  const compressed = files.filter((name) => /\.(br|gz)$/.test(name))
  t.ok(compressed.length > 10, `${compressed.length} files`)
  for (const name of compressed) {
    const bytes = name.endsWith('.br') ? brotliDecompressSync(read(name)) : gunzipSync(read(name))
    t.ok(bytes.equals(read(name.replace(/\.(br|gz)$/, ''))), name)
  }
})

/**
 * Of all scripts but the editor, compressed, in KB: what there is now and a little. The aim is 370, of which React,
 * Base UI, the router and the other libraries take 280, and reading and writing files 50.
 */
const maxScriptsKb = 620

t.test(`all scripts but the editor are ${maxScriptsKb} KB at most, compressed`, async (t) => {
  const scripts = assetNames().filter((name) => name.endsWith('.js'))
  const editor = scripts.filter(isEditor)
  const kilobytes = sumOf(scripts.filter((name) => !isEditor(name)).map(sizeOf)) / 1000
  t.comment(
    `${kilobytes.toFixed(1)} KB, and ${(sumOf(editor.map(sizeOf)) / 1000).toFixed(1)} KB of the editor`,
  )
  t.ok(kilobytes <= maxScriptsKb, `${kilobytes} KB`)
})
