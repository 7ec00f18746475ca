import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { SvcError } from './api/error.ts'
import { fixedToken } from './credential.ts'
import { Http } from './http.ts'
import { type Keepsake, type KeptFile, type KeptFlags, notOurs } from './keeper.ts'
import { LocalClient } from './local.ts'
import { openStream, refuse, startFlagServer } from './testing/flag-server.ts'
import { booleanFlag, recordsEvent } from './testing/records-text.ts'

function connect(url: string, file: KeptFile) {
  const tokens = fixedToken('x')
  return LocalClient.connect({
    ...{ url, namespace: 'shop', tokens, file, readyTimeoutMs: 1000, required: true },
    http: new Http({ url, fetch, tokens }),
    logger: { warn() {} },
  })
}

/** A client of a server that answers at once, with a file that is read when the test says so. */
async function start(t: Test) {
  const server = await startFlagServer(t, (_asked, response) => {
    openStream(response, recordsEvent({ revision: 42, flags: [booleanFlag('a', true)] }))
  })
  const written: number[] = []
  let endRead: (error?: SvcError) => void = () => {}
  const reading = new Promise<KeptFlags | undefined>((resolve, reject) => {
    endRead = (error) => (error === undefined ? resolve(undefined) : reject(error))
  })
  const file = {
    name: 'file',
    read: () => reading,
    async write({ revision }: Keepsake) {
      written.push(revision)
      return 1
    },
  }
  const flags = await connect(server.url, file)
  t.equal(flags.revision, 42)
  return { flags, endRead, written }
}

t.test('a file that is read later than the server answers', async (t) => {
  await t.test('stays when it is of another application', async (t) => {
    const { flags, endRead, written } = await start(t)
    await sleep(20)
    endRead(new SvcError('of another namespace', { status: 0, code: notOurs }))
    await flags.close()
    t.strictSame(written, [])
  })

  await t.test('is written then', async (t) => {
    const { flags, endRead, written } = await start(t)
    await sleep(20)
    t.strictSame(written, [])
    endRead()
    await waitFor(() => written.length > 0)
    await flags.close()
    t.strictSame(written, [42])
  })

  await t.test('and also when the client is closed before', async (t) => {
    const { flags, endRead, written } = await start(t)
    const closed = flags.close()
    endRead(new SvcError('damaged', { status: 0, code: 15 }))
    await closed
    t.strictSame(written, [42])
  })
})

/** A client whose file has revision 41, and what it read of it, for as long as that is in memory. */
async function startKept(t: Test, isDown: boolean) {
  const event = recordsEvent({ revision: 42, flags: [booleanFlag('a', true)] })
  const server = await startFlagServer(t, (_asked, response) => {
    if (isDown) refuse(response, 503, 'unavailable')
    else openStream(response, event)
  })
  const lists = { flags: [], segments: [], deletedFlagKeys: [], deletedSegmentKeys: [] }
  const read: WeakRef<object>[] = []
  const file = {
    name: 'file',
    async read() {
      if (!isDown) await sleep(50)
      const change = { revision: 41, fromRevision: 0, ...lists }
      read.push(new WeakRef(change))
      return { change, writtenAtMs: Date.now() }
    },
    write: async () => 1,
  }
  const flags = await connect(server.url, file)
  return { flags, read }
}

t.test('what was read of a file is not kept in memory', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const cases = [
    ['when it was taken', true, 41],
    ['when the server was first', false, 42],
  ] as const
  for (const [what, isDown, revision] of cases) {
    await t.test(what, async (t) => {
      const { flags, read } = await startKept(t, isDown)
      t.equal(flags.revision, revision)
      await waitFor(() => read.length > 0)
      await waitFor(() => {
        collect()
        return read.every((change) => change.deref() === undefined)
      })
      await flags.close()
    })
  }
})
