import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi } from '@svc/client/api'
import { readNamespace } from '@svc/documents/files'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { figure } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { importFile } from '../../support/import-file.ts'
import { svcFor } from '../../support/svc.ts'

/** Flags of one import. */
const count = Number(process.env.IMPORT_FLAGS ?? 10_000)
/** The points of an import at which a process is killed. */
const kills = Number(process.env.IMPORT_KILLS ?? 20)

t.setTimeout(1_800_000)

t.test(`an import of ${count} flags is killed at ${kills} points`, async (t) => {
  const { urls, token, resources, gateways } = await startFleet(t)
  const [url] = urls
  const svc = svcFor({ url, token })
  const api = createApi({ url, token })
  const victims = { 'the resource service': resources[0], 'the gateway': gateways[0] }
  const folder = t.testdir({})
  const importRound = async (round: number) => {
    const file = join(folder, `${round}.yml`)
    await writeFile(file, importFile(count, round))
    return svc(['import', file, '--replace'])
  }
  /** The different names of all flags, at one revision. */
  const readNames = async () => {
    let names: string[] = []
    await waitFor(async () => {
      const content = await readNamespace(api, 'default').catch(() => undefined)
      if (content === undefined) return false
      names = [...new Set(content.flags.map(({ name }) => name)), `${content.flags.length}`]
      return true
    })
    return names
  }
  const whole = (round: number) => [`Round ${round}`, `${count}`]

  const startedAt = performance.now()
  t.match(await importRound(0), { code: 0 })
  const usualMs = performance.now() - startedAt
  t.comment(`imported in ${Math.round(usualMs)} ms without a kill`)

  let torn = 0
  for (let kill = 1; kill <= kills; kill++) {
    const [name, victim] = Object.entries(victims)[kill % 2] ?? []
    const importing = importRound(kill)
    await sleep(((kill - 0.5) / kills) * usualMs)
    await victim?.kill()
    await victim?.restart()
    const names = await readNames()
    const isWhole = [whole(kill - 1), whole(kill)].some((one) => `${one}` === `${names}`)
    t.ok(isWhole, `all or nothing after ${name} was killed at point ${kill}: ${names.slice(0, 5)}`)
    const { code, stderr } = await importing
    t.comment(`kill ${kill}, of ${name}: the import ended with ${code} ${stderr}`)
    // One that could not be done says that the service is unavailable; to repeat it is safe.
    t.ok(code === 0 || code === 6, `it ended with ${code}: ${stderr}`)
    if (code !== 0) t.match(await importRound(kill), { code: 0 })
    t.strictSame(await readNames(), whole(kill))
    if (!isWhole) torn += 1
  }
  figure(t, 'R-9', `imports of ${kills} that are done in part`, { atMost: 0 }, torn)
})
