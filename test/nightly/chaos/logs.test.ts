import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { createFlag } from '../../support/api.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { addressOf, startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { internalEnv } from '../../support/internal.ts'
import { measure, percentiles } from '../../support/load.ts'
import { untilReady } from '../../support/stack.ts'

/** Long enough for many times what a pipe and a buffer hold, as each request is logged. */
const forMs = 10_000
const perSecond = 200

const isRoot = process.getuid?.() === 0

/** A pipe whose reader has stopped. @returns the end to write to */
function openUnreadPipe(t: Test): number {
  const path = join(t.testdir({}), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY)
  t.teardown(async () => {
    for (const fd of [reader, writer]) closeSync(fd)
  })
  return writer
}

/** A file on a disk that is full. */
function openFileOnFullDisk(t: Test): number {
  const directory = t.testdir({})
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory])
  const fd = openSync(join(directory, 'log'), 'a')
  try {
    for (;;) writeSync(fd, Buffer.alloc(4096))
  } catch {
    // Now it is.
  }
  t.teardown(async () => {
    closeSync(fd)
    execFileSync('umount', ['--lazy', directory])
  })
  return fd
}

const outputs = [
  { name: 'a pipe that is not read', open: openUnreadPipe, skip: false },
  { name: 'a full disk', open: openFileOnFullDisk, skip: !isRoot && 'only root mounts a disk' },
] as const

for (const { name, open, skip } of outputs) {
  t.test(`a gateway whose log goes to ${name}`, { skip, timeout: 120_000 }, async (t) => {
    const { auths, resources, api, token } = await startFleet(t)
    await createFlag(api)
    const main = fileURLToPath(import.meta.resolve('@svc/gateway/main'))
    const child = spawn(process.execPath, [main], {
      env: {
        PATH: process.env.PATH,
        ...internalEnv('gateway'),
        SVC_CONFIG: '',
        SVC_SERVER_HOST: '127.0.0.1',
        SVC_SERVER_HTTP_PORT: '0',
        SVC_AUTH_ADDRESS: addressOf(auths),
        SVC_RESOURCE_ADDRESS: addressOf(resources),
        SVC_METRICS_ENABLED: 'false',
        SVC_LOG_REQUESTS: 'true',
        SVC_LOG_LEVEL: 'trace',
      },
      stdio: ['ignore', open(t), 'inherit', 'ipc'],
    })
    t.teardown(async () => void child.kill('SIGKILL'))
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    const url = `http://127.0.0.1:${port}`
    await untilReady(url)
    const authorization = `Bearer ${token}`
    let count = 0
    const ask = async () => {
      count += 1
      const { status, text } =
        count % 4 === 0
          ? await call(url, 'GET', '/api/v1/namespaces/default/flags', undefined, { authorization })
          : await call(url, 'POST', '/evaluate/v1/boolean', { flagKey: 'on' }, { authorization })
      return status === 200 ? 'right' : `${status} ${text}`
    }
    const { outcomes, tookMs } = await measure(perSecond, ask, () => sleep(forMs))
    t.comment(`${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
    figure(t, 'R-25', `${name}: failed requests`, { atMost: 0 }, wrongOf(outcomes))
    const most = { atMost: 1000, unit: 'ms' }
    figure(t, 'R-25', `${name}: the slowest request`, most, Math.max(...tookMs))
    t.equal(child.exitCode, null, 'it runs')
  })
}
