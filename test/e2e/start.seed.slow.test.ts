import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { call } from '../support/http.ts'
import { bearer, isReady, launch } from './launcher.ts'

/** The example of the documentation, as it stands there. */
function exampleOf(document: string): string {
  const text = readFileSync(new URL(`../../../docs/${document}`, import.meta.url), 'utf8')
  const [, example = ''] = /```yaml\n# flags\.yml\n([\s\S]*?)```/.exec(text) ?? []
  return example
}

t.test('a start with a seed', async (t) => {
  const folder = t.testdir({ 'flags.yml': exampleOf('quick-start.md') })
  const file = join(folder, 'flags.yml')
  const args = ['--port', '0', '--data', join(folder, 'data'), '--seed', file]
  let token: string | undefined
  const evaluate = async (url: string, plan: string) => {
    const body = {
      namespaceKey: 'shop',
      flagKey: 'new-checkout',
      entityId: 'user-10',
      context: { plan },
    }
    const answer = await call(url, 'POST', '/evaluate/v1/boolean', body, bearer(token))
    return answer.status === 200 ? (answer.body as { enabled: boolean }).enabled : answer.status
  }

  await t.test('answers by it at once', async (t) => {
    const first = launch(t, args)
    const ready = await isReady(first)
    token = ready.token
    t.equal(await evaluate(ready.url, 'beta'), true)
    t.equal(await evaluate(ready.url, 'free'), false)
    const deletion = '/api/v1/namespaces/shop/flags/new-checkout'
    t.equal((await call(ready.url, 'DELETE', deletion, undefined, bearer(token))).status, 200)
    first.send('SIGTERM')
    t.equal((await first.ended()).exitCode, 0)
  })

  await t.test('does not bring back what was deleted', async (t) => {
    const second = launch(t, args)
    const { url } = await isReady(second)
    t.equal(await evaluate(url, 'beta'), 404)
    second.send('SIGTERM')
    await second.ended()
  })

  await t.test('ends when the file has an error, which it names with its line', async (t) => {
    writeFileSync(file, 'flags:\n  - key: a\n    nmae: A\n')
    const third = launch(t, args)
    t.equal((await third.ended()).exitCode, 2)
    t.match(third.errors(), /seed\.path: \S+flags\.yml:3:5: flags\[0\]\.nmae: is unknown/)
  })
})
