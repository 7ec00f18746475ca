import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type LocalFlags } from '@svc/client'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { createShop, german, quiet } from '../support/client-shop.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { startStack } from '../support/stack.ts'

t.test('flags from the file of last known good ones', async (t) => {
  const { urls, api, token } = await startStack(t)
  const { write, base } = await createShop(api)
  const link = await startFaultProxy(t, Number(new URL(urls[0]).port))
  const folder = await mkdtemp(join(tmpdir(), 'client-offline-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'flags.json')
  const url = `http://${link.address}`
  const start = async (more: { lastKnownGood?: string; namespace?: string } = {}) => {
    const { logger, lines } = quiet()
    const options = { url, namespace: 'shop', credential: { token }, lastKnownGood: file, logger }
    const begin = performance.now()
    const flags = await connect({ ...options, readyTimeoutMs: 1000, ...more })
    t.teardown(() => flags.close())
    return { flags, lines, tookMs: performance.now() - begin }
  }
  const answersOf = (flags: LocalFlags) => [
    flags.boolean('checkout', german, false),
    flags.boolean('checkout', undefined, true),
    flags.variant('color', german, 'red'),
    flags.attachment('color', german, {}),
    flags.revision,
  ]

  const { flags: first } = await start()
  await waitFor(async () => (await readdir(folder)).includes('flags.json'))
  const answers = answersOf(first)
  await first.close()

  await t.test(
    'the file has the flags and no credential, and is for its owner alone',
    async (t) => {
      t.equal((await stat(file)).mode & 0o777, 0o600)
      const text = await readFile(file, 'utf8')
      const content = JSON.parse(text)
      t.match(content, { url, namespace: 'shop', records: { revision: first.revision } })
      t.notMatch(text, token)
      t.strictSame(await readdir(folder), ['flags.json'])
    },
  )

  await t.test(
    'answer when the server is down, soon, and are stale until it is back',
    async (t) => {
      link.set('cut')
      const { flags, tookMs } = await start()
      t.ok(tookMs <= 100, `after ${tookMs.toFixed()} ms`)
      t.strictSame(answersOf(flags), answers)
      t.equal(flags.isStale, true)
      t.equal(flags.evaluate('checkout', german).isStale, true)
      t.ok(flags.ageMs < 60_000, 'their age counts from when they were written')
      let readyCount = 0
      flags.on('ready', () => readyCount++)
      const changed = await write('PUT', `${base}/flags/color`, { name: 'Color', enabled: false })
      link.set('none')
      await flags.waitFor(changed)
      await waitFor(() => !flags.isStale)
      t.equal(readyCount, 1)
      t.equal(flags.variant('color', german, 'red'), 'red')
      t.equal(flags.boolean('checkout', german, false), true)
      await flags.close()
      t.equal(JSON.parse(await readFile(file, 'utf8')).records.revision, flags.revision)
    },
  )

  await t.test('answer when the server is silent, after the time that it has', async (t) => {
    link.set('freeze')
    const { flags, tookMs } = await start()
    t.ok(tookMs >= 990 && tookMs < 2000, `after ${tookMs.toFixed()} ms`)
    t.equal(flags.boolean('checkout', german, false), true)
    t.equal(flags.isStale, true)
    link.set('cut')
  })

  await t.test('are refused when the file is damaged, and it says so', async (t) => {
    const bytes = await readFile(file)
    const flipped = Buffer.from(bytes)
    const middle = Math.floor(bytes.length / 2)
    flipped.writeUInt8(flipped.readUInt8(middle) ^ 1, middle)
    const damages = {
      empty: Buffer.alloc(0),
      cut: bytes.subarray(0, bytes.length - 100),
      flipped,
      other: Buffer.from('{"flags":[]}'),
      longer: Buffer.concat([bytes, Buffer.from('\n')]),
    }
    for (const [name, content] of Object.entries(damages)) {
      const damaged = join(folder, `${name}.json`)
      await writeFile(damaged, content)
      const { logger, lines } = quiet()
      const options = { url, namespace: 'shop', credential: { token }, logger }
      const attempt = connect({ ...options, lastKnownGood: damaged, readyTimeoutMs: 200 })
      await t.rejects(attempt, { name: 'SvcError', code: 14 }, name)
      t.match(lines, [`svc flags: ${damaged} is damaged and is not used`], name)
    }
  })

  await t.test('and when it is of another namespace, whose file stays', async (t) => {
    const foreign = join(folder, 'foreign.json')
    await copyFile(file, foreign)
    const before = await readFile(foreign)
    const { logger, lines } = quiet()
    const options = { url, credential: { token }, lastKnownGood: foreign, logger }
    const flags = await connect({ ...options, required: false, readyTimeoutMs: 200 })
    const said = 'has the flags of namespace "shop", not "default", and is left alone'
    t.ok(
      lines.some((line) => line.includes(said)),
      lines.join('\n'),
    )
    t.equal(flags.isReady, false)
    t.equal(flags.evaluate('checkout', german).error, 'NOT_READY')
    t.equal(flags.boolean('checkout', german, true), true)
    link.set('none')
    await waitFor(() => flags.isReady)
    await flags.close()
    t.ok((await readFile(foreign)).equals(before))
  })

  await t.test('a folder that cannot be written changes nothing else', async (t) => {
    link.set('none')
    const { flags, lines } = await start({ lastKnownGood: join(folder, 'missing', 'flags.json') })
    await waitFor(() => lines.length > 0)
    t.match(lines, [/missing\/flags\.json cannot be written: ENOENT/])
    t.equal(flags.boolean('checkout', german, false), true)
    await flags.waitFor(await write('PUT', base, { name: 'The shop' }))
    t.equal(flags.isStale, false)
    await flags.close()
    t.equal(lines.length, 1, 'it is said once')
  })

  await t.test('a file that cannot be read is said, too', async () => {
    link.set('none')
    const { lines } = await start({ lastKnownGood: folder })
    await waitFor(() => lines.some((line) => /cannot be read and is not used: EISDIR/.test(line)))
  })
})
