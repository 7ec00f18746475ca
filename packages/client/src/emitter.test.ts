import t from 'tap'
import { Emitter } from './emitter.ts'

t.test('each listener gets each event until it is taken off', async (t) => {
  const thrown: unknown[] = []
  const emitter = new Emitter((error) => thrown.push(error))
  const got: unknown[] = []
  const listener = ({ revision }: { revision: number }) => void got.push(revision)
  const stop = emitter.on('ready', listener)
  emitter.on('ready', listener)
  const error = new Error('of a listener')
  const stopThrowing = emitter.on('ready', () => {
    stopThrowing()
    throw error
  })
  emitter.emit('ready', { revision: 1 })
  t.strictSame(got, [1, 1])
  t.strictSame(thrown, [error])
  stop()
  emitter.emit('ready', { revision: 2 })
  t.strictSame(got, [1, 1, 2])
  t.equal(thrown.length, 1)
  t.equal(emitter.has('ready'), true)
  t.equal(emitter.has('change'), false)
})

t.test('a listener that is an async function may reject', async (t) => {
  const thrown: unknown[] = []
  const emitter = new Emitter((error) => thrown.push(error))
  const error = new Error('of a promise')
  const rejecting = (): unknown => Promise.reject(error)
  emitter.on('ready', rejecting)
  const got: number[] = []
  emitter.on('ready', ({ revision }) => void got.push(revision))
  emitter.emit('ready', { revision: 1 })
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(thrown, [error])
  t.strictSame(got, [1])
})

t.test('an event that there is not is refused', async (t) => {
  const emitter = new Emitter(() => {})
  t.throws(() => emitter.on('changed' as 'change', () => {}), /no event "changed": ready, change/)
})
