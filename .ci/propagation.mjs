// How soon a change through one gateway is seen through all.
import assert from 'node:assert/strict'
import { containers, inNetwork, inspect } from './stack.mjs'
import { check } from './tally.mjs'

const changes = 30

/** Limit for nine changes of ten: a busy machine delays one now and then. In milliseconds. */
const limitMs = 100

/** Needs the flag, and as many gateways as the list of containers has. */
export async function showsChanges(flagPath, flagKey, token) {
  await check(`a change is seen through all gateways within ${limitMs} ms`, async () => {
    const address =
      '{{range $name, $net := .NetworkSettings.Networks}}{{$name}} {{$net.IPAddress}}\n{{end}}'
    const networks = await inspect(address, ...(await containers('gateway')))
    const inFront = networks.filter((line) => /_front /.test(line))
    const urls = inFront.map((line) => `http://${line.split(' ')[1]}:8080`)
    assert.equal(urls.length, 3)
    const times = await inNetwork('front', follow, [{ urls, token, flagPath, flagKey, changes }])
    times.sort((a, b) => a - b)
    const [median, most, all] = [0.5, 0.9, 1].map((share) => times[Math.ceil(share * changes) - 1])
    const figures = `half within ${median} ms, nine of ten within ${most} ms, all within ${all} ms`
    console.log(`    ${changes} changes through three gateways by turns: ${figures}`)
    assert.ok(most <= limitMs, figures)
  })
}

/** Runs in a container. @returns for each change, milliseconds from its answer until the last gateway had it */
async function follow({ urls, token, flagPath, flagKey, changes }) {
  const ask = async (url, method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const options = { method, headers, body: JSON.stringify(body) }
    const answer = await fetch(url + path, { ...options, signal: AbortSignal.timeout(5000) })
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`)
    return answer.json()
  }
  const times = []
  for (let change = 0; change < changes; change++) {
    const enabled = change % 2 === 0
    await ask(urls[change % urls.length], 'PUT', flagPath, { name: flagKey, enabled })
    const answeredAt = performance.now()
    const elapsedMs = () => Math.round((performance.now() - answeredAt) * 10) / 10
    const seen = urls.map(async (url) => {
      for (;;) {
        const request = { flagKey, entityId: 'user-42' }
        const evaluated = await ask(url, 'POST', '/evaluate/v1/boolean', request)
        if (evaluated.enabled === enabled) return elapsedMs()
        if (elapsedMs() > 5000) throw new Error(`${url} does not see the change`)
      }
    })
    times.push(Math.max(...(await Promise.all(seen))))
  }
  return times
}
