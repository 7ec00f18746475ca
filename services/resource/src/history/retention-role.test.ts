import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { openDatabase } from '@svc/database'
import t from 'tap'
import { configureLog } from '../changes/log-settings.ts'
import { handlersOn } from '../testing/resources.ts'
import { day, keys, log, openRetention } from '../testing/retention.ts'
import { deleteOld, eraseOld, logHeads } from './retention.ts'

const manual = new URL('../../../../docs/operating.md', import.meta.url)

t.test('the grants of the documentation are enough, and no more', async (t) => {
  const [, documented] = /```sql\n(REVOKE[^`]+)```/.exec(await readFile(manual, 'utf8')) ?? []
  const { db, options, logOld, revisions, findBreak, errors } = await openRetention(t)
  const role = `role_${randomBytes(6).toString('hex')}`
  t.teardown(async () => {
    await db.query(`DROP OWNED BY ${role}`)
    await db.query(`DROP ROLE ${role}`)
  })
  const grants = `
    CREATE ROLE ${role} LOGIN PASSWORD 'own';
    GRANT USAGE ON SCHEMA resource TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA resource TO ${role};
    GRANT SELECT, USAGE ON ALL SEQUENCES IN SCHEMA resource TO ${role};
    ${String(documented).replaceAll('svc_resource', role).replaceAll(/--.*$/gm, '')}`
  for (const grant of grants.split(';').filter((one) => one.trim() !== '')) await db.query(grant)
  const { href } = Object.assign(new URL(db.url), { username: role, password: 'own' })
  const own = openDatabase(href, { name: 'own', maxConnections: 2, log })
  t.teardown(() => own.close())
  configureLog(own, { keys, dailyBytes: 2 ** 31 })

  const logged = await logOld([500, 450, 100, 1].map((days) => days * day))
  await handlersOn(own).createFlag({ key: 'f', name: 'F' })
  for (const step of [logHeads, eraseOld, deleteOld]) {
    await step({ db: own, log, keys, retentionMs: options.retentionMs })
  }
  t.strictSame((await revisions()).slice(0, -1), logged.slice(2))
  const kept = await db.query('SELECT address FROM resource.changes ORDER BY revision LIMIT 2')
  t.strictSame(kept, [{ address: null }, { address: '10.0.0.7' }])
  const where = `WHERE namespace_key = 'default' AND revision = ${logged[3]}`
  for (const edit of [
    `UPDATE resource.changes SET comment = 'x' ${where}`,
    `UPDATE resource.change_items SET key = 'x' ${where}`,
    `DELETE FROM resource.changes ${where}`,
    `DELETE FROM resource.change_items ${where}`,
    'TRUNCATE resource.changes',
    'ALTER TABLE resource.changes DISABLE TRIGGER USER',
  ]) {
    await t.rejects(own.query(edit), { code: '42501' }, edit)
  }
  t.equal(await findBreak(), 'intact')
  t.strictSame(errors(), [])
})
