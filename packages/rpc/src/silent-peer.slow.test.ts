import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openChannel, serve, unary } from './text-service.test.support.ts'

const HeldDefinition = { fullName: 'test.Held', methods: { hold: unary('Hold') } } as const

t.test('stalls of this process are not taken for silence of the peer', async (t) => {
  const isOver = new AbortController()
  const address = await serve(t, HeldDefinition, {
    hold: async (message) => {
      await once(isOver.signal, 'abort')
      return message
    },
  })
  const { hold } = openChannel(t, address).client(HeldDefinition)
  const held = hold('a', { timeoutMs: 60_000 }).catch((error: unknown) => error)
  // A ping is sent, received and answered in several turns of the event loop.
  for (let turn = 0; turn < 8; turn += 1) {
    const end = performance.now() + 600
    while (performance.now() < end);
    await sleep(1)
  }
  isOver.abort()
  t.equal(await held, 'a')
})
