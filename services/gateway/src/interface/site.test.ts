import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { type Asset, openSite, readSite, siteDirectory } from './site.ts'

t.test('is read with what the build has compressed', async (t) => {
  const script = 'export {}'
  const directory = t.testdir({
    'index.html': '<!doctype html>',
    assets: {
      'main-1.js': script,
      'main-1.js.br': brotliCompressSync(script),
      'main-1.js.gz': gzipSync(script),
      'mark-2.svg': '<svg/>',
    },
  })
  const site = readSite(directory)
  t.equal(site?.page, '<!doctype html>')
  t.strictSame(
    [...(site?.assets ?? [])].map(([name, { contentType, bytes, br, gzip }]) => [
      name,
      contentType,
      `${bytes}`,
      br !== undefined && gzip !== undefined,
    ]),
    [
      ['main-1.js', 'text/javascript; charset=utf-8', script, true],
      ['mark-2.svg', 'image/svg+xml', '<svg/>', false],
    ],
  )
})

t.test('is nothing where none was built', async (t) => {
  t.equal(readSite(`${t.testdir({})}/none`), undefined)
})

t.test('a gateway without it says so, unless the settings have it so', async (t) => {
  const said: unknown[] = []
  const log = { warn: (...line: unknown[]) => said.push(line) }
  const directory = `${t.testdir({})}/none`
  t.equal(openSite({ isEnabled: false, directory }, log), undefined)
  t.strictSame(said, [])
  t.equal(openSite({ isEnabled: true, directory }, log), undefined)
  t.match(said, [[{ directory }, /no web interface: it is not built, which `pnpm build` does/]])
  t.ok(openSite({ isEnabled: true }, log))
  t.equal(said.length, 1)
})

t.test('a file of no known type is refused', async (t) => {
  const directory = t.testdir({ 'index.html': '', assets: { 'a.exe': '' } })
  t.throws(() => readSite(directory), { message: /^a\.exe of the interface/ })
})

t.test('the one that is built is whole', async (t) => {
  const { page, assets } = readSite(siteDirectory) ?? { page: '', assets: new Map<string, Asset>() }
  const loaded = [...page.matchAll(/(?:src|href)="\.\/assets\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  )
  t.ok(loaded.length > 3, `${loaded.length} of them`)
  for (const name of loaded) t.ok(assets.has(name), name)
  for (const [name, { bytes, br, gzip }] of assets) {
    const said = [br && brotliDecompressSync(br), gzip && gunzipSync(gzip)]
    t.ok(
      said.every((text) => text === undefined || text.equals(bytes)),
      `${name} is the same in every encoding`,
    )
  }
  t.notMatch(
    page,
    /https?:|<style|<script(?![^>]* src=)| style=| on\w+=/,
    'nothing in the page itself',
  )
})
