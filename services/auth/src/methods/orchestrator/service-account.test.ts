import t from 'tap'
import { readFixture } from '../../fixtures.test.support.ts'
import { toServiceAccount } from './service-account.ts'

interface Review {
  readonly what: string
  /** The status of a TokenReview; left out where the answer is none. */
  readonly status?: unknown
  readonly outcome: 'admitted' | 'refused' | 'unknown'
}

const { good, recorded, further } = readFixture<{
  readonly good: { readonly user: { readonly uid: string } }
  readonly recorded: readonly Review[]
  readonly further: readonly Review[]
}>('token-reviews.yml')

t.test('a status confirms an account, or the login is refused', async (t) => {
  const outcomes = { admitted: 0, refused: 0, unknown: 0 }
  for (const { what, status, outcome } of [...recorded, ...further]) {
    const account = toServiceAccount(status, 'flags')
    // A good status that is not sent as a whole, or with success, is unknown to the client.
    if (outcome === 'refused') t.equal(account, undefined, what)
    if (outcome === 'admitted') t.match(account, { namespace: 'shop', name: 'client' }, what)
    outcomes[outcome] += 1
  }
  t.ok(outcomes.admitted >= 10 && outcomes.refused >= 40, JSON.stringify(outcomes))
  for (const nothing of [undefined, null, {}])
    t.equal(toServiceAccount(nothing, 'flags'), undefined)
})

t.test('notes the uid and the pod, and nothing of what is no name', async (t) => {
  const pod = (name: unknown, uid: unknown) => ({
    ...good,
    user: {
      ...good.user,
      extra: {
        'authentication.kubernetes.io/pod-name': name,
        'authentication.kubernetes.io/pod-uid': uid,
      },
    },
  })
  t.match(toServiceAccount(pod(['client-7d4'], ['0b1c']), 'flags'), {
    uid: good.user.uid,
    podName: 'client-7d4',
    podUid: '0b1c',
  })
  for (const odd of [undefined, null, [], [1], ['a\0b'], ['a b'], ['x'.repeat(254)], {}, 7]) {
    t.match(toServiceAccount(pod(odd, odd), 'flags'), { podName: '', podUid: '' })
  }
})
