// What API servers answer when they are asked whose a token is, and whether it admits the login.

/** `admitted`, `refused`, or `unknown` when the answer tells neither. */
export type Outcome = 'admitted' | 'refused' | 'unknown'

export interface ReviewAnswer {
  readonly what: string
  readonly status: number
  /** Sent as JSON, unless it is a text. */
  readonly body: unknown
  readonly outcome: Outcome
}

/** What the answers are about: a token of this account, for this audience. */
const user = {
  username: 'system:serviceaccount:shop:client',
  uid: '440ceb9f-c716-4bd6-b8fa-f6bf0f2d301c',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
}
const good = { authenticated: true, user, audiences: ['flags'] }

const review = (status: unknown, spec: object = { audiences: ['flags'] }) => ({
  kind: 'TokenReview',
  apiVersion: 'authentication.k8s.io/v1',
  metadata: { creationTimestamp: null },
  spec,
  status,
})

const failure = (code: number, reason: string, message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
})

const invalid = (error: string) => ({ user: {}, error })

const wrongAudience = (of: string, asked: string) =>
  invalid(
    `[invalid bearer token, token audiences ["${of}"] is invalid for the target audiences ["${asked}"]]`,
  )

const mayNot = (who: string) =>
  failure(
    403,
    'Forbidden',
    `tokenreviews.authentication.k8s.io is forbidden: User "${who}" cannot create resource` +
      ' "tokenreviews" in API group "authentication.k8s.io" at the cluster scope',
  )

/** As a kube-apiserver answered, asked with all kinds of tokens, audiences and callers. */
export const recordedAnswers: readonly ReviewAnswer[] = [
  answer('the right audience', 201, review(good), 'admitted'),
  answer(
    "two audiences asked, one of them the token's",
    201,
    review(good, { audiences: ['other', 'flags'] }),
    'admitted',
  ),
  answer(
    'no audience asked, a token for the API server',
    201,
    review({ ...good, audiences: ['api'] }, {}),
    'refused',
  ),
  answer('the wrong audience', 201, review(wrongAudience('flags', 'other')), 'refused'),
  answer(
    'no audience asked, a token for another one',
    201,
    review(wrongAudience('flags', 'api'), {}),
    'refused',
  ),
  answer(
    'a token for the API server, another audience asked',
    201,
    review(wrongAudience('api', 'flags')),
    'refused',
  ),
  answer('no token at all', 201, review(invalid('invalid bearer token')), 'refused'),
  answer(
    'a signature that was altered',
    201,
    review(invalid('[invalid bearer token, square/go-jose: error in cryptographic primitive]')),
    'refused',
  ),
  answer(
    'an empty token',
    400,
    failure(400, 'BadRequest', 'token is required for TokenReview in authentication'),
    'unknown',
  ),
  answer('a caller who may not ask', 403, mayNot('system:serviceaccount:svc:auth'), 'unknown'),
  answer('a caller with a bad token', 401, failure(401, 'Unauthorized', 'Unauthorized'), 'unknown'),
  answer('a caller without a token', 403, mayNot('system:anonymous'), 'unknown'),
  answer('an account deleted a moment ago', 201, review(good), 'admitted'),
]

/** Others that could come, of servers that are old, odd, broken or not what they seem. */
export const furtherAnswers: readonly ReviewAnswer[] = [
  answer('status 200', 200, review(good), 'admitted'),
  answer('members of later versions', 201, review({ ...good, hint: 'x' }), 'admitted'),
  answer(
    'a pod',
    201,
    review({
      ...good,
      user: {
        ...user,
        extra: {
          'authentication.kubernetes.io/pod-name': ['client-1'],
          'authentication.kubernetes.io/credential-id': ['JTI=1'],
        },
      },
    }),
    'admitted',
  ),
  answer('an empty error', 201, review({ ...good, error: '' }), 'admitted'),
  answer('an error beside it', 201, review({ ...good, error: 'cannot tell' }), 'refused'),
  answer('authenticated false', 201, review({ ...good, authenticated: false }), 'refused'),
  answer('authenticated as a text', 201, review({ ...good, authenticated: 'true' }), 'refused'),
  answer('authenticated as a number', 201, review({ ...good, authenticated: 1 }), 'refused'),
  answer(
    'no audiences, as of a server that ignores them',
    201,
    review({ ...good, audiences: undefined }),
    'refused',
  ),
  answer('empty audiences', 201, review({ ...good, audiences: [] }), 'refused'),
  answer('audiences that are null', 201, review({ ...good, audiences: null }), 'refused'),
  answer('audiences as a text', 201, review({ ...good, audiences: 'flags' }), 'refused'),
  answer('audiences as an object', 201, review({ ...good, audiences: { 0: 'flags' } }), 'refused'),
  answer('an audience within a list', 201, review({ ...good, audiences: [['flags']] }), 'refused'),
  answer('no user', 201, review({ ...good, user: undefined }), 'refused'),
  answer('a person', 201, review({ ...good, user: { ...user, username: 'alice' } }), 'refused'),
  answer(
    'a node',
    201,
    review({ ...good, user: { ...user, username: 'system:node:a' } }),
    'refused',
  ),
  answer(
    'an account in no namespace',
    201,
    review({ ...good, user: { ...user, username: 'system:serviceaccount:client' } }),
    'refused',
  ),
  answer(
    'a name with a line break',
    201,
    review({ ...good, user: { ...user, username: `${user.username}\n` } }),
    'refused',
  ),
  answer('an empty status', 201, review({}), 'refused'),
  answer('no status', 201, review(undefined), 'unknown'),
  answer('a status that is null', 201, review(null), 'unknown'),
  answer('an object of nothing', 201, {}, 'unknown'),
  answer('null', 201, 'null', 'unknown'),
  answer('an empty body', 201, '', 'unknown'),
  answer('a body that breaks off', 201, JSON.stringify(review(good)).slice(0, -2), 'unknown'),
  answer('a page', 200, '<!doctype html><title>Log in</title>', 'unknown'),
  answer('a body that is too long', 201, review({ ...good, hint: 'x'.repeat(100_000) }), 'unknown'),
  answer('a good body and status 500', 500, review(good), 'unknown'),
  answer('a good body and status 401', 401, review(good), 'unknown'),
  answer('a good body and status 302', 302, review(good), 'unknown'),
  answer('404', 404, failure(404, 'NotFound', 'not found'), 'unknown'),
  answer('422', 422, failure(422, 'Invalid', 'invalid'), 'unknown'),
  answer('429', 429, failure(429, 'TooManyRequests', 'try again later'), 'unknown'),
  answer('503', 503, failure(503, 'ServiceUnavailable', 'not ready'), 'unknown'),
]

function answer(what: string, status: number, body: unknown, outcome: Outcome): ReviewAnswer {
  return { what, status, body, outcome }
}
