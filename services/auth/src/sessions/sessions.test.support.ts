import { Session, SessionServiceDefinition, SignInRequest } from '@svc/proto/auth/v1/sessions'
import { methodPath, type RpcChannel } from '@svc/rpc'

/** A session as the browser gets it. */
export interface SignedIn {
  readonly session: Session
  /** The `Set-Cookie` values. */
  readonly cookies: readonly string[]
  /** The token in the cookie. */
  readonly clientToken: string
  readonly id: string
}

/** @param metadata what a gateway passes on of the browser */
export async function signIn(
  channel: RpcChannel,
  token: string,
  metadata: Readonly<Record<string, string>> = {},
): Promise<SignedIn> {
  const path = methodPath(SessionServiceDefinition, 'SignIn')
  let cookies: readonly string[] = []
  const answer = await channel.call(path, SignInRequest.encode({ token }).finish(), {
    metadata,
    onTrailers(trailers) {
      cookies = trailers('svc-set-cookie')
    },
  })
  const session = Session.decode(answer.bytes)
  const clientToken = /^svc_client_token=([^;]*)/.exec(cookies[0] ?? '')?.[1] ?? ''
  return { session, cookies, clientToken, id: session.authentication?.id ?? '' }
}
