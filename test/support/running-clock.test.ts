import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { runningNow, stoodStillMs } from './running-clock.ts'

t.test('runs on while this thread is busy, and stands still while the process does', async (t) => {
  runningNow()
  await sleep(500)
  const [stoodBefore, busyFrom] = [stoodStillMs(), runningNow()]
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  const countedMs = runningNow() - busyFrom + (stoodStillMs() - stoodBefore)
  t.ok(countedMs >= 290, `${countedMs} ms of 300 counted`)

  const [from, countedFrom] = [performance.now(), runningNow()]
  const stops = `kill -STOP ${process.pid}; sleep 1; kill -CONT ${process.pid}`
  const stopping = spawn('sh', ['-c', stops])
  await new Promise((resolve) => stopping.once('exit', resolve))
  const passedMs = performance.now() - from
  const ranMs = runningNow() - countedFrom
  t.ok(passedMs > 1000)
  t.ok(ranMs < passedMs - 850, `${ranMs} ms of ${passedMs} counted`)
  t.ok(stoodStillMs() - stoodBefore >= 850)
})
