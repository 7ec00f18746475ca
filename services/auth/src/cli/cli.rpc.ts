import { isAddressWithin } from '@svc/access'
import { checkFields } from '@svc/contract'
import { formatInstant } from '@svc/database'
import type { CliServiceDefinition } from '@svc/proto/auth/v1/cli'
import { fieldRules } from '@svc/proto/field-rules'
import type { CallContext, Handlers } from '@svc/rpc'
import { AppError, invalidField } from '@svc/runtime'
import { authenticateCaller, bearerToken, originOf } from '../credentials/callers.ts'
import type { ServiceContext } from '../credentials/context.ts'
import { holderOf } from '../credentials/lookup/actor.ts'
import {
  type AuthenticationRow,
  toAuthentication,
} from '../credentials/records/authentications.store.ts'
import { unauthenticated } from '../credentials/records/refusals.ts'
import { generateToken, hashToken } from '../credentials/records/token.ts'
import { logToken } from '../credentials/records/token-log.ts'
import type { NewEvent } from '../events/event.ts'
import { openForLogin, sealForLogin } from '../methods/login/seal.ts'
import { noteRefusedLogin } from '../sessions/refused-logins.ts'
import { generateCode, hashCode, matchesChallenge, readChallenge, readCode } from './code.ts'
import { type Allowed, insertCode, takeCode } from './codes.store.ts'
import { insertCliToken } from './tokens.store.ts'

/** The login of the command line, with the help of a browser that is signed in. */
export function cliHandlers(context: ServiceContext) {
  const { db, events, hooks, log } = context
  return {
    async createCliCode(request, call) {
      const caller = await authenticateCaller(context, call)
      if (!caller.isSession) throw noBrowser()
      checkFields(fieldRules.CreateCliCodeRequest, request)
      const challenge = readChallenge(request.challenge)
      if (challenge === undefined) {
        throw invalidField('challenge', 'must be the SHA-256 of the verifier, in base64url')
      }
      const description = checkDescription(request.description)
      const { id: sessionId, method } = caller.authentication
      const session = { authenticationId: sessionId, clientToken: bearerToken(call) ?? '' }
      const secret = await hooks.get(method)?.secretOf?.(db, session)
      const code = generateCode()
      const sealedSecret = secret === undefined ? null : sealedWith(code, sessionId, secret)
      const expiresAt = await db.transaction(async (tx) => {
        const allowed = { sessionId, challenge, description, sealedSecret }
        const until = await insertCode(tx, hashCode(code), allowed)
        const by = originOf(call, caller)
        const details = { name: description }
        await events.append(tx, [{ type: 'cli.allowed', ...by, subject: sessionId, details }])
        return until
      })
      return { code, expiresAt }
    },

    async exchangeCliCode(request, call) {
      checkFields(fieldRules.ExchangeCliCodeRequest, request)
      try {
        return await exchange(request, call)
      } catch (error) {
        noteRefusedLogin(context, { provider: 'cli' }, error, call)
        throw error
      }
    },
  } satisfies Handlers<CliServiceDefinition>

  async function exchange(request: { code: string; verifier: string }, call: CallContext) {
    const code = readCode(request.code)
    if (code === undefined) throw unauthenticated('unknown_code')
    const isRight = (challenge: Buffer) => matchesChallenge(request.verifier, challenge)
    const clientToken = generateToken()
    const made = await db.transaction(async (tx) => {
      const allowed = await takeCode(tx, hashCode(code), isRight)
      // The transaction is committed: it has counted a wrong verifier.
      if (typeof allowed === 'string') return allowed
      const { sessionId, description } = allowed
      const row = await insertCliToken(tx, hashToken(clientToken), sessionId, description)
      if (row === undefined) throw unauthenticated('session_ended')
      if (row === 'too_many') throw tooMany()
      refuseElsewhere(row, call)
      const { method, id: authenticationId } = row
      const secret = openedWith(code, allowed)
      if (secret !== undefined) {
        await hooks.get(method)?.keepSecret?.(tx, { authenticationId, clientToken }, secret)
      }
      const authentication = toAuthentication(row)
      const by = originOf(call, holderOf(hooks, authentication, row.rootId))
      await events.append(tx, [{ ...by, ...madeOf(allowed, row) }])
      return row
    })
    if (typeof made === 'string') throw unauthenticated(made)
    logToken(log, 'created a token of a session', made, undefined, { session: made.parentId ?? '' })
    return { clientToken, expiresAt: made.expiresAt ?? undefined }
  }
}

function madeOf(
  { sessionId: session, description: name }: Allowed,
  { id: subject, namespaceKey, expiresAt, allowedAddresses }: AuthenticationRow,
): Pick<NewEvent, 'type' | 'subject' | 'details'> {
  return {
    type: 'token.created',
    subject,
    details: {
      name,
      reason: 'cli',
      session,
      ...(namespaceKey !== null && { namespaceKey }),
      ...(expiresAt !== null && { expiresAt: formatInstant(expiresAt) }),
      ...(allowedAddresses.length > 0 && { allowedAddresses }),
    },
  }
}

/** What the caller says is shown to people: one line, without what steers a terminal or turns text round. */
function checkDescription(text: string): string {
  if (/[\p{Cc}\p{Cf}]/u.test(text)) {
    throw invalidField('description', 'must not contain control characters')
  }
  return text.trim()
}

/** The code is known to no one but the browser and the command line. */
function sealedWith(code: string, authenticationId: string, secret: string): string {
  return sealForLogin('svc cli code', secret, { authenticationId, clientToken: code })
}

function openedWith(code: string, { sessionId, sealedSecret }: Allowed): string | undefined {
  if (sealedSecret === null) return undefined
  const login = { authenticationId: sessionId, clientToken: code }
  return openForLogin('svc cli code', sealedSecret, login)
}

/** @throws {AppError} `permission_denied`, as the token would be refused from there */
function refuseElsewhere({ allowedAddresses }: AuthenticationRow, call: CallContext): void {
  const address = call.get('svc-client-address') ?? ''
  if (allowedAddresses.length === 0 || isAddressWithin(allowedAddresses, address)) return
  const message = 'the session may not be used from this address, nor may a token of it'
  throw new AppError('permission_denied', 'address_refused', message)
}

/** A token that makes tokens would outlive its rotation. */
function noBrowser(): AppError {
  const message = 'only a browser that is signed in may let the command line log in'
  return new AppError('permission_denied', 'not_a_session', message)
}

function tooMany(): AppError {
  const message =
    'this session has 50 tokens of the command line: end some with `svc logout`, or end the session'
  return new AppError('resource_exhausted', 'too_many_cli_tokens', message)
}
