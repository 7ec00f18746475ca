import { createLogger } from '@svc/runtime'
import t, { type Test } from 'tap'
import { checkSessions } from './sessions.ts'
import { createTestDatabase, type TestDatabase } from './testing.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

t.test('a setting that the role lacks', async (t) => {
  t.test('is refused where the service migrates', async (t) => {
    const db = await withoutSettings(t)
    await t.rejects(checkSessions(db.url, { log, timeoutMs: 5000 }), {
      code: 'failed_precondition',
      reason: 'session_setting',
      message: /lack a setting of its role: TimeZone is Etc\/GMT instead of UTC/,
    })
  })

  t.test('is waited for where another process migrates', async (t) => {
    const db = await withoutSettings(t)
    const reasons: (string | undefined)[] = []
    await checkSessions(db.url, {
      log,
      timeoutMs: 20_000,
      isMigratedByOthers: true,
      onWait(reason) {
        reasons.push(reason)
        if (reasons.length === 1) void setTimeZone(db, 'UTC')
      },
    })
    t.match(reasons[0], /TimeZone is Etc\/GMT instead of UTC/)
    t.equal(reasons.at(-1), undefined, 'and no longer at the end')
  })

  t.test('is waited for as long as for the migrations, and named at the end', async (t) => {
    const db = await withoutSettings(t)
    const options = { log, timeoutMs: 300, isMigratedByOthers: true }
    await t.rejects(checkSessions(db.url, options), {
      code: 'unavailable',
      message: /TimeZone is Etc\/GMT/,
    })
  })
})

async function withoutSettings(t: Test): Promise<TestDatabase> {
  const db = await createTestDatabase(t)
  await setTimeZone(db, 'Etc/GMT')
  return db
}

async function setTimeZone(db: TestDatabase, zone: string): Promise<void> {
  await db.query(
    `DO $$ BEGIN
       EXECUTE format('ALTER ROLE %I IN DATABASE %I SET TimeZone = %L', current_user, current_database(), '${zone}');
     END $$`,
  )
}
