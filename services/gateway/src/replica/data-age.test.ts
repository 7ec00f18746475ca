import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { dataAgeOf } from './data-age.ts'
import { change, inStep, openReplica } from './testing.ts'

t.test('the age of an answer from memory', async (t) => {
  const { replica, resource } = await openReplica(t)

  await t.test('is not told while there is nothing to answer from', async (t) => {
    t.equal(dataAgeOf(replica), undefined)
  })

  await t.test('is not told while changes come', async (t) => {
    resource.send(change('default', [0, 5]), ...inStep(1500))
    await waitFor(() => replica.isCurrent)
    t.equal(dataAgeOf(replica), undefined)
  })

  await t.test('is told in whole seconds, rounded up, when they do not', async (t) => {
    resource.hangUp()
    await waitFor(() => !replica.isCurrent)
    const seconds = Number(dataAgeOf(replica))
    t.ok(Number.isInteger(seconds))
    t.ok(seconds * 1000 >= 1500 && seconds * 1000 <= replica.ageMs + 1000, `${seconds} s`)
  })

  await t.test('is told no longer when they come again', async (t) => {
    await waitFor(() => resource.requests.length === 2)
    resource.send(...inStep())
    await waitFor(() => replica.isCurrent)
    t.equal(dataAgeOf(replica), undefined)
  })
})
