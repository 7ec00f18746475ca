import t from 'tap'
import { inSeconds, openAuth } from '../../auth.test.support.ts'
import { countExpiring } from './expiring.store.ts'

const daySeconds = 86_400

t.test('tokens that are in use and expire within a week are counted', async (t) => {
  const { db, identities, create } = await openAuth(t)
  t.equal(await countExpiring(db), 0)
  const use = async (name: string, days: number) => {
    const { id } = await create({ name, expiresAt: inSeconds(days * daySeconds) })
    const of = { authenticationId: id, count: 1, lastUsedMsAgo: 0, lastAddress: '192.0.2.1' }
    await identities.reportUses({ uses: [of], refusals: [] })
  }
  await use('soon', 3)
  await use('later', 30)
  await create({ name: 'unused', expiresAt: inSeconds(3 * daySeconds) })
  t.equal(await countExpiring(db), 1)
})
