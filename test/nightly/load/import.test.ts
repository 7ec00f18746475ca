import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startFleet } from '../../support/fleet.ts'
import { importFile } from '../../support/import-file.ts'
import { svcFor } from '../../support/svc.ts'

const count = 10_000

/** Of the whole command: reading the file, planning, and one transaction. */
const maxMs = 30_000

t.setTimeout(300_000)

t.test(
  `${count} flags are imported in one transaction, and exported as the same bytes`,
  async (t) => {
    const { urls, token, api } = await startFleet(t)
    const svc = svcFor({ url: urls[0], token })
    const folder = t.testdir({})
    const [given, exported] = [join(folder, 'given.yml'), join(folder, 'exported.yml')]
    await writeFile(given, importFile(count, 1))

    const startedAt = performance.now()
    const { code, stdout, stderr } = await svc(['import', given])
    const ms = performance.now() - startedAt
    t.comment(`imported in ${Math.round(ms)} ms: ${stdout}`)
    t.equal(code, 0, stderr)
    t.ok(ms <= maxMs, `${Math.round(ms)} ms are at most ${maxMs}`)
    t.match(stdout, /^default: 10001 created · revision \d+$/m)

    const { body } = await api('GET', '/api/v1/namespaces/default/changes?source=apply')
    t.equal((body as { changes: readonly unknown[] }).changes.length, 1, 'it is one change')

    t.match(await svc(['export', '-o', exported]), { code: 0 })
    const text = await readFile(exported, 'utf8')
    t.ok(text.replace(/^.*\n\n/, '') === (await readFile(given, 'utf8')), 'the same bytes')

    const again = await svc(['import', given])
    t.match([again.code, again.stdout], [0, 'default: 10001 unchanged\n'])
  },
)
