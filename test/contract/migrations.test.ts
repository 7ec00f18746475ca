import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { findBreaches } from '../support/additive-sql.ts'
import { readFixture } from '../support/fixtures.ts'

interface Case {
  readonly name: string
  readonly sql: string
  readonly why?: string
}

/** Written by `.ci/released.mjs`: SHA-256 by name. */
const released: {
  readonly version: string
  readonly migrations: Readonly<Record<string, Readonly<Record<string, string>>>>
} = JSON.parse(
  readFileSync(new URL('../../fixtures/released/migrations.json', import.meta.url), 'utf8'),
)

function migrationsOf(service: string) {
  const directory = new URL(`../../../services/${service}/migrations/`, import.meta.url)
  return readdirSync(directory)
    .sort()
    .map((file) => {
      const sql = readFileSync(new URL(file, directory), 'utf8')
      return { name: file.slice(0, -'.sql'.length), sql }
    })
}

const hashOf = (sql: string) => createHash('sha256').update(sql).digest('hex')

/** @returns whether a version such as `1.4.0` is at least `major.minor` */
function isAtLeast(version: string, major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

for (const [service, hashes] of Object.entries(released.migrations)) {
  const all = migrationsOf(service)
  const since = all.filter(({ name }) => hashes[name] === undefined)

  t.test(`migrations of ${service} that were released are as they were`, async (t) => {
    const now = all.filter(({ name }) => hashes[name] !== undefined)
    t.strictSame(Object.fromEntries(now.map(({ name, sql }) => [name, hashOf(sql)])), hashes)
    const last = Object.keys(hashes).sort().at(-1) ?? ''
    for (const { name } of since) t.ok(name.slice(0, 4) > last.slice(0, 4), `${name} comes after`)
  })

  t.test(`release ${released.version} runs on the migrations of ${service} since`, async (t) => {
    if (!isAtLeast(released.version, 1, 2)) {
      const names = since.map(({ name }) => name)
      t.strictSame(names, [], 'releases before 1.2.0 start on their own schema alone')
    }
    for (const { name, sql } of since) {
      const named = /_since_(\d+)_(\d+)$/.exec(name)
      if (named === null) t.strictSame(await findBreaches(sql), [], name)
      else t.ok(isAtLeast(released.version, Number(named[1]), Number(named[2])), name)
    }
  })

  t.test(`every migration of ${service} is understood by the check`, async (t) => {
    for (const { name, sql } of all) await t.resolves(findBreaches(sql), name)
  })
}

t.test('what breaks the release before is found', async (t) => {
  for (const { name, sql, why } of readFixture<Case[]>('additive-migrations')) {
    const reasons = (await findBreaches(sql)).map((breach) => breach.why)
    if (why === undefined) t.strictSame(reasons, [], name)
    else {
      t.equal(reasons.length, 1, name)
      t.match(reasons[0], why, name)
    }
  }
})
