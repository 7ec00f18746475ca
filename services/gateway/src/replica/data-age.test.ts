import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { setDataAge } from './data-age.ts'
import type { Replica } from './replica.ts'
import { change, inStep, openReplica } from './testing.ts'

function dataAgeOf(replica: Replica): string | undefined {
  let age: string | undefined
  const setHeader = (_name: string, value: string) => {
    age = value
  }
  setDataAge({ setHeader }, replica)
  return age
}

t.test('the age of an answer from memory', async (t) => {
  const { replica, clock, resource } = await openReplica(t)

  await t.test('is left out while there is nothing to answer from', async (t) => {
    t.equal(dataAgeOf(replica), undefined)
  })

  await t.test('is left out while changes come', async (t) => {
    resource.send(change('default', [0, 5]), ...inStep(1500))
    await waitFor(() => replica.isCurrent)
    t.equal(dataAgeOf(replica), undefined)
  })

  await t.test('is in whole seconds, rounded up, when they do not', async (t) => {
    resource.hangUp()
    await waitFor(() => !replica.isCurrent)
    t.equal(dataAgeOf(replica), '2')
    clock.nowMs += 501
    t.equal(dataAgeOf(replica), '3')
  })

  await t.test('is left out again when they come again', async (t) => {
    await waitFor(() => resource.requests.length === 2)
    resource.send(...inStep())
    await waitFor(() => replica.isCurrent)
    t.equal(dataAgeOf(replica), undefined)
  })
})
