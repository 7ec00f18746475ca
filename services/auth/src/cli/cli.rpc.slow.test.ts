import t from 'tap'
import {
  addLogin,
  as,
  firstToken,
  inSeconds,
  openAuth,
  unauthenticated,
} from '../auth.test.support.ts'
import { from, loginsOf, newVerifier, openSession, withCodehost } from './cli.test.support.ts'

const hourS = 3600
const all = { method: 'METHOD_NONE', limit: 100, pageToken: '' } as const
const page = { limit: 0, pageToken: '' }

const nameOfAda = {
  'io.svc.auth.codehost.preferred_username': 'ada',
  'io.svc.auth.codehost.sub': '42',
}

t.test('a session lets the command line have a token', async (t) => {
  const auth = await openAuth(t, withCodehost)
  const { accepts: isGood, authentications, cli, db, identities, lines, sessions } = auth

  await t.test('that may do what the session may, and is none', async (t) => {
    const bound = { namespaceKey: 'shop', allowedAddresses: ['192.0.2.0/24'] }
    const { allow, id: sessionId } = await openSession(auth, { ...bound, metadata: { team: 'a' } })
    const { code, verifier } = await allow('Ada’s laptop')
    t.match(code, /^[0-9A-Z]{20}$/)
    const typed = code.toLowerCase().replace(/.{5}(?=.)/g, '$&-')
    const { clientToken } = await cli.exchangeCliCode({ code: typed, verifier }, from('none'))
    t.match(clientToken, /^svc_[\w-]{43}_\w{6}$/)
    const found = await identities.authenticate({ clientToken })
    t.match(found, {
      name: 'ui',
      namespaceKey: 'shop',
      isSession: false,
      authentication: {
        method: 'METHOD_TOKEN',
        allowedAddresses: bound.allowedAddresses,
        metadata: { team: 'a', 'io.svc.auth.cli.name': 'Ada’s laptop' },
      },
    })
    t.not(found.authentication?.id, sessionId)
    await t.rejects(authentications.getSelf({}, as(clientToken)), {
      message: 'token "ui" is restricted to namespace "shop"',
    })
  })

  await t.test('for twelve hours at most, and no longer than itself', async (t) => {
    const atMost = async (expiresAt: { seconds: number; nanos: number } | undefined, s: number) => {
      const { allow } = await openSession(auth, { expiresAt })
      const { expiresAt: end } = await cli.exchangeCliCode(await allow())
      const left = (end?.seconds ?? 0) - Date.now() / 1000
      t.ok(left <= s + 1 && left > s - 30, `${left} s`)
    }
    await atMost(undefined, 12 * hourS)
    await atMost(inSeconds(hourS), hourS)
  })

  await t.test('also the session of a person, as whom it then acts', async (t) => {
    const ada = await addLogin(db, { method: 'METHOD_CODEHOST', metadata: nameOfAda })
    const clientToken = await loginsOf(auth, ada.clientToken).logIn()
    const [one, two] = [
      await identities.authenticate({ clientToken: ada.clientToken }),
      await identities.authenticate({ clientToken }),
    ]
    t.equal(two.principal, one.principal)
    t.equal(two.name, 'ada')
    t.match(await sessions.getSession({}, as(clientToken)), {
      issuer: 'https://idp.example',
      subject: 'ada',
      current: true,
    })
    const own = await sessions.listOwnSessions(page, as(clientToken))
    t.strictSame(
      own.sessions.map((one) => [one.authentication?.id, one.current]),
      [[ada.id, false]],
    )
  })

  await t.test('and no other credential does', async (t) => {
    const { logIn, parent } = await openSession(auth)
    const { challenge } = newVerifier()
    const request = { challenge, description: '' }
    for (const token of [firstToken, parent.clientToken, await logIn()]) {
      await t.rejects(cli.createCliCode(request, from(token)), {
        code: 'permission_denied',
        reason: 'not_a_session',
        message: 'only a browser that is signed in may let the command line log in',
      })
    }
    await t.rejects(cli.createCliCode(request), unauthenticated)
    await t.rejects(cli.createCliCode(request, from('svc_nothing')), unauthenticated)
  })

  await t.test('once, also when it is asked many times at once, at two replicas', async (t) => {
    const other = await openAuth(t, withCodehost, db)
    const { allow } = await openSession(auth)
    const allowed = await allow()
    const exchanges = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? auth : other).cli.exchangeCliCode(allowed).catch((error) => error.code),
    )
    const answers = await Promise.all(exchanges)
    const made = answers.filter((answer) => typeof answer === 'object')
    t.equal(made.length, 1)
    t.ok(answers.every((answer) => typeof answer === 'object' || answer === 'unauthenticated'))
    t.ok(await isGood(made[0].clientToken))
  })

  await t.test('until a minute has passed', async (t) => {
    const { allow } = await openSession(auth)
    const { challenge } = newVerifier()
    const { clientToken } = await openSession(auth)
    const { expiresAt } = await cli.createCliCode({ challenge, description: '' }, from(clientToken))
    const left = (expiresAt?.seconds ?? 0) - Date.now() / 1000
    t.ok(left > 55 && left <= 61, `${left} s`)
    const allowed = await allow()
    await db.query(`UPDATE auth.cli_codes SET expires_at = expires_at - interval '60 seconds'`)
    await t.rejects(cli.exchangeCliCode(allowed), unauthenticated)
  })

  await t.test('with the verifier, which may be wrong four times', async (t) => {
    const { allow } = await openSession(auth)
    const wrong = newVerifier().verifier
    const patient = await allow()
    for (let i = 0; i < 4; i += 1) {
      await t.rejects(cli.exchangeCliCode({ ...patient, verifier: wrong }), unauthenticated)
    }
    t.ok((await cli.exchangeCliCode(patient)).clientToken)
    const guessed = await allow()
    for (let i = 0; i < 5; i += 1) {
      await t.rejects(cli.exchangeCliCode({ ...guessed, verifier: wrong }), unauthenticated)
    }
    await t.rejects(cli.exchangeCliCode(guessed), unauthenticated)
  })

  await t.test('five wrong verifiers at once are five', async (t) => {
    const { allow } = await openSession(auth)
    const guessed = await allow()
    const guesses = Array.from({ length: 5 }, () =>
      cli.exchangeCliCode({ ...guessed, verifier: newVerifier().verifier }).catch(() => undefined),
    )
    await Promise.all(guesses)
    await t.rejects(cli.exchangeCliCode(guessed), unauthenticated)
  })

  await t.test('from where the session may be used alone', async (t) => {
    const { allow } = await openSession(auth, { allowedAddresses: ['192.0.2.0/24'] })
    const allowed = await allow()
    for (const address of ['198.51.100.1', 'nonsense', '']) {
      await t.rejects(cli.exchangeCliCode(allowed, from('none', address)), {
        code: 'permission_denied',
        reason: 'address_refused',
      })
    }
    const { clientToken } = await cli.exchangeCliCode(allowed, from('none'))
    t.ok(await isGood(clientToken))
  })

  await t.test('that is listed with the tokens and not with the sessions', async (t) => {
    const { logIn, id: sessionId } = await openSession(auth)
    const { authentication } = await identities.authenticate({ clientToken: await logIn() })
    const id = authentication?.id ?? ''
    const { authentications: tokens } = await authentications.listAuthentications(
      { ...all, method: 'METHOD_TOKEN' },
      as(firstToken),
    )
    const ids = tokens.map((one) => one.id)
    t.ok(ids.includes(id))
    t.notOk(ids.includes(sessionId))
    await authentications.deleteAuthentication({ id }, as(firstToken))
    t.notOk((await listedIds()).includes(id))

    async function listedIds() {
      const listed = await authentications.listAuthentications(all, as(firstToken))
      return listed.authentications.map((one) => one.id)
    }
  })

  await t.test('which has no other secret and begins no session', async (t) => {
    const { logIn } = await openSession(auth)
    const clientToken = await logIn()
    const { authentication } = await identities.authenticate({ clientToken })
    const id = authentication?.id ?? ''
    await t.rejects(auth.tokens.rotateToken({ id, overlap: '' }, as(firstToken)), {
      code: 'not_found',
    })
    await t.rejects(sessions.signIn({ token: clientToken }), {
      code: 'permission_denied',
      reason: 'not_a_static_token',
    })
    t.ok(await isGood(clientToken))
  })

  await t.test('of which there are fifty at a time', async (t) => {
    const { allow, logIn } = await openSession(auth)
    const made: string[] = []
    for (let i = 0; i < 50; i += 1) made.push(await logIn())
    await t.rejects(cli.exchangeCliCode(await allow()), {
      code: 'resource_exhausted',
      reason: 'too_many_cli_tokens',
    })
    await sessions.signOut({}, as(made[0] ?? ''))
    t.ok(await logIn())
  })

  await t.test('with five codes at a time', async (t) => {
    const { allow } = await openSession(auth)
    const codes = []
    for (let i = 0; i < 7; i += 1) codes.push(await allow())
    for (const [i, code] of codes.entries()) {
      if (i < 2) await t.rejects(cli.exchangeCliCode(code), unauthenticated, `${i}`)
      else t.ok((await cli.exchangeCliCode(code)).clientToken, `${i}`)
    }
  })

  await t.test('no secret of it is in the database or the log', async (t) => {
    const { allow } = await openSession(auth)
    const [used, waiting] = [await allow(), await allow()]
    const { clientToken } = await cli.exchangeCliCode(used)
    const [kept] = await db.query<{ text: string }>(
      `SELECT string_agg(row, ' ') AS text FROM (
         SELECT a::text AS row FROM auth.authentications a UNION ALL
         SELECT c::text FROM auth.cli_codes c UNION ALL SELECT e::text FROM auth.events e) AS rows`,
    )
    const everything = `${kept?.text} ${JSON.stringify(lines)}`
    const secrets = [used.code, used.verifier, waiting.code, waiting.verifier, clientToken.slice(4)]
    for (const secret of secrets) t.notOk(everything.includes(secret))
  })

  await t.test('what is not well-formed is refused and nothing kept', async (t) => {
    const { clientToken } = await openSession(auth)
    const { challenge } = newVerifier()
    const bad = [
      [{ challenge: '' }, 'invalid field challenge: must not be empty'],
      [{ challenge: `${challenge}A` }, 'invalid field challenge: must be at most 43 characters'],
      [
        { challenge: challenge.slice(1) },
        'invalid field challenge: must be the SHA-256 of the verifier, in base64url',
      ],
      [
        { description: 'a'.repeat(101) },
        'invalid field description: must be at most 100 characters',
      ],
      [
        { description: 'a\u001b[31m' },
        'invalid field description: must not contain control characters',
      ],
      [{ description: 'a\0' }, 'invalid field description: must not contain control characters'],
    ] as const
    const [before] = await db.query<{ count: string }>('SELECT count(*) FROM auth.cli_codes')
    for (const [request, message] of bad) {
      const whole = { challenge, description: '', ...request }
      await t.rejects(cli.createCliCode(whole, from(clientToken)), {
        code: 'invalid_argument',
        message,
      })
    }
    t.strictSame(await db.query('SELECT count(*) FROM auth.cli_codes'), [before])
    const { verifier } = newVerifier()
    for (const code of ['a', '0'.repeat(20), '\0'.repeat(20), '0'.repeat(100)]) {
      await t.rejects(cli.exchangeCliCode({ code, verifier }), unauthenticated)
    }
    await t.rejects(cli.exchangeCliCode({ code: '', verifier }), { code: 'invalid_argument' })
    await t.rejects(cli.exchangeCliCode({ code: '0'.repeat(20), verifier: '' }), {
      code: 'invalid_argument',
    })
  })
})
