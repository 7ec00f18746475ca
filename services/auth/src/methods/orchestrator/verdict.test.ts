import t from 'tap'
import { allowedAccounts } from './allowed-accounts.ts'
import { toServiceAccount } from './verdict.ts'

const audience = 'flags'

const user = {
  username: 'system:serviceaccount:shop:client',
  uid: '440ceb9f-c716-4bd6-b8fa-f6bf0f2d301c',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
}
const good = { authenticated: true, user, audiences: [audience] }
const named = (username: unknown) => ({ ...good, user: { ...user, username } })

/** Statuses of a TokenReview that vouch for `shop:client`. */
const vouching: Readonly<Record<string, object>> = {
  'the usual one': good,
  'several audiences': { ...good, audiences: ['other', audience] },
  'an empty error': { ...good, error: '' },
  'an error that is null': { ...good, error: null },
  'no groups': { ...good, user: { username: user.username, uid: user.uid } },
  'no uid': { ...good, user: { username: user.username } },
  'members of later versions': { ...good, credential: { id: 'JTI=1' } },
}

/** Statuses that do not: each of these refuses the login. */
const refusing: Readonly<Record<string, unknown>> = {
  nothing: {},
  null: null,
  undefined,
  'a list': [good],
  'a text': 'authenticated',
  'a number': 1,
  'not authenticated': { ...good, authenticated: false },
  'authenticated left out': { user, audiences: [audience] },
  'authenticated as a text': { ...good, authenticated: 'true' },
  'authenticated as a number': { ...good, authenticated: 1 },
  'authenticated as null': { ...good, authenticated: null },
  'an error beside it': { ...good, error: 'token could not be checked' },
  'an error of another type': { ...good, error: { message: 'no' } },
  'no audiences': { authenticated: true, user },
  'audiences that are null': { ...good, audiences: null },
  'empty audiences': { ...good, audiences: [] },
  'the audience of the API server': { ...good, audiences: ['https://kubernetes.default.svc'] },
  'another audience': { ...good, audiences: ['other'] },
  'an audience that begins the same': { ...good, audiences: ['flags2'] },
  'the audience in capitals': { ...good, audiences: ['FLAGS'] },
  'the audience within a text': { ...good, audiences: 'flags' },
  'the audience within a list': { ...good, audiences: [[audience]] },
  'the audience as a key': { ...good, audiences: { flags: true } },
  'no user': { authenticated: true, audiences: [audience] },
  'a user that is null': { ...good, user: null },
  'an empty user': { ...good, user: {} },
  'no name': named(undefined),
  'an empty name': named(''),
  'a name in a list': named([user.username]),
  'a person': named('alice'),
  'a node': named('system:node:worker-1'),
  'the anonymous user': named('system:anonymous'),
  'no namespace': named('system:serviceaccount::client'),
  'no account': named('system:serviceaccount:shop:'),
  'one part': named('system:serviceaccount:client'),
  'a part more': named('system:serviceaccount:shop:client:x'),
  'a prefix': named('xsystem:serviceaccount:shop:client'),
  'the prefix in capitals': named('System:Serviceaccount:shop:client'),
  'a space': named('system:serviceaccount:shop: client'),
  'a line break at its end': named('system:serviceaccount:shop:client\n'),
  'a line break before it': named('x\nsystem:serviceaccount:shop:client'),
  capitals: named('system:serviceaccount:Shop:client'),
  'a slash': named('system:serviceaccount:shop/client:client'),
  'a NUL': named('system:serviceaccount:shop:client\0'),
  'a star': named('system:serviceaccount:*:*'),
  'a letter that looks alike': named('system:serviceaccount:shоp:client'),
  'a namespace that is too long': named(`system:serviceaccount:${'a'.repeat(64)}:client`),
  'a name that is too long': named(`system:serviceaccount:shop:${'a'.repeat(254)}`),
}

t.test('a status confirms an account, or the login is refused', async (t) => {
  for (const [what, status] of Object.entries(vouching)) {
    t.match(toServiceAccount(status, audience), { namespace: 'shop', name: 'client' }, what)
  }
  for (const [what, status] of Object.entries(refusing)) {
    t.equal(toServiceAccount(status, audience), undefined, what)
  }
})

/** Allow-lists, and whether `shop:client` may log in. */
const allowLists: readonly (readonly [entries: readonly string[], admits: boolean])[] = [
  [['shop:client'], true],
  [['shop:*=shop'], true],
  [['*'], true],
  [['bank:client', '*:client'], true],
  [[], false],
  [['shop:other', 'bank:*'], false],
  [['client:shop'], false],
]

t.test(
  'every status with every allow-list: who is let in is vouched for and allowed',
  async (t) => {
    let count = 0
    let wronglyAdmitted = 0
    for (const [isVouching, statuses] of [
      [true, vouching],
      [false, refusing],
    ] as const) {
      for (const [what, status] of Object.entries(statuses)) {
        for (const [entries, admits] of allowLists) {
          const account = toServiceAccount(status, audience)
          const isAdmitted =
            account !== undefined && allowedAccounts(entries)(account) !== undefined
          count += 1
          if (isAdmitted && !(isVouching && admits)) wronglyAdmitted += 1
          if (isAdmitted !== (isVouching && admits)) t.fail(`${what} with ${entries.join()}`)
        }
      }
    }
    t.comment(`${count} combinations, ${wronglyAdmitted} wrongly admitted`)
    t.ok(count >= 80)
    t.equal(wronglyAdmitted, 0)
  },
)

t.test('notes the uid and the pod, and nothing of what is no name', async (t) => {
  const pod = (name: unknown, uid: unknown) => ({
    ...good,
    user: {
      ...user,
      extra: {
        'authentication.kubernetes.io/pod-name': name,
        'authentication.kubernetes.io/pod-uid': uid,
      },
    },
  })
  t.match(toServiceAccount(pod(['client-7d4'], ['0b1c']), audience), {
    uid: user.uid,
    podName: 'client-7d4',
    podUid: '0b1c',
  })
  for (const odd of [undefined, null, [], [1], ['a\0b'], ['a b'], ['x'.repeat(254)], {}, 7]) {
    t.match(toServiceAccount(pod(odd, odd), audience), { podName: '', podUid: '' })
  }
})
