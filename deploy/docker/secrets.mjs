// Makes the secrets of one stack, each in a volume that only the containers mount that need it. The
// first start makes them, later ones keep them.
//   node secrets.mjs DIRECTORY
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

process.chdir(process.argv[2])

// The owner of the database, for migrations and backups, and a role for each service.
writeUrl('postgres', 'svc')
writeUrl('auth-db', 'svc_auth')
writeUrl('resource-db', 'svc_resource')

const redis = passwordIn('redis/password')
write('redis/redis.conf', `requirepass ${redis}\n`)
write('redis/url', `redis://:${redis}@redis:6379/0`)

// The secret between the services; and the key of caller assertions, for auth and resource alone.
passwordIn('internal/secret')
passwordIn('assertion/key')

// The key of the change log, for auth and resource alone. It lasts as long as the log.
passwordIn('changes/key')

function writeUrl(directory, role) {
  const password = passwordIn(`${directory}/password`)
  write(`${directory}/url`, `postgres://${role}:${password}@postgres:5432/svc`)
}

function passwordIn(path) {
  if (!existsSync(path)) write(path, randomBytes(32).toString('hex'))
  return readFileSync(path, 'utf8')
}

/** Atomic. Readable by any user: PostgreSQL, Redis and the services run as three. */
function write(path, text) {
  rmSync(`${path}.new`, { force: true })
  writeFileSync(`${path}.new`, text, { mode: 0o444 })
  renameSync(`${path}.new`, path)
}
