import { SvcError } from '@svc/client/api'
import t from 'tap'
import { follow } from './follow.ts'
import { Output } from './output.ts'
import { openTerminal } from './run.test.support.ts'

const unavailable = new SvcError('no answer', { status: 503, code: 14 })

t.test('what is repeated', async (t) => {
  const start = (signal = new AbortController().signal) => {
    const { terminal, stderr } = openTerminal({ signal })
    const output = new Output(terminal, { isJson: false, isQuiet: false })
    return { context: { output, signal }, stderr }
  }

  await t.test('goes on while the service is unavailable, which is said once', async (t) => {
    const { context, stderr } = start()
    const outcomes = [true, unavailable, unavailable, true, unavailable, true]
    let runs = 0
    await follow(context, 1, async () => {
      const outcome = outcomes[runs++]
      if (outcome instanceof Error) throw outcome
      return runs === outcomes.length
    })
    t.equal(runs, outcomes.length)
    t.equal(stderr().match(/warning: no answer: trying again/g)?.length, 2, 'each time it begins')
  })

  await t.test('ends with any other error', async (t) => {
    const refused = new SvcError('no', { status: 403, code: 7 })
    const work = () => Promise.reject(refused)
    await t.rejects(follow(start().context, 1, work), refused)
  })

  await t.test('ends with Ctrl-C', async (t) => {
    const controller = new AbortController()
    const { context } = start(controller.signal)
    const following = follow(context, 60_000, async () => false)
    setTimeout(() => controller.abort(), 5)
    await t.rejects(following, { name: 'AbortError' })
  })
})
