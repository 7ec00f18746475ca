import t from 'tap'
import { hostileTexts, tryHostileTexts } from '../../interface/support/hostile.ts'
import { startSite } from '../../interface/support/site.ts'

t.test('50 hostile texts in every field', async (t) => {
  const site = await startSite(t)
  t.equal(hostileTexts.length, 50)
  await site.visit(t, 'break nothing', {}, async (t, visit) => {
    await tryHostileTexts(t, site, visit, hostileTexts)
  })
})
