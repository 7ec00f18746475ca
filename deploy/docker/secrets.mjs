// Makes the secrets that the containers of one stack have among themselves, each in a volume that
// only those mount who need it. The first start makes them, later ones keep them.
//   node secrets.mjs DIRECTORY
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

process.chdir(process.argv[2])

// The owner of the database, whom migrations and backups are made by; and a role for each service.
writeUrl('postgres', 'svc')
writeUrl('auth-db', 'svc_auth')
writeUrl('resource-db', 'svc_resource')

const redis = passwordIn('redis/password')
write('redis/redis.conf', `requirepass ${redis}\n`)
write('redis/url', `redis://:${redis}@redis:6379/0`)

// What the services know each other by; and what auth vouches for callers with, and resource alone
// can check.
passwordIn('internal/secret')
passwordIn('assertion/key')

function writeUrl(directory, role) {
  const password = passwordIn(`${directory}/password`)
  write(`${directory}/url`, `postgres://${role}:${password}@postgres:5432/svc`)
}

function passwordIn(path) {
  if (!existsSync(path)) write(path, randomBytes(32).toString('hex'))
  return readFileSync(path, 'utf8')
}

/** Whole or not at all. Readable by any user, for Postgres, Redis and the services run as three. */
function write(path, text) {
  rmSync(`${path}.new`, { force: true })
  writeFileSync(`${path}.new`, text, { mode: 0o444 })
  renameSync(`${path}.new`, path)
}
