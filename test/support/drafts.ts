import { waitFor } from '@svc/runtime/testing'
import type { Request } from './http.ts'

/** The answer about a draft, as far as tests read it. */
export interface Draft {
  readonly id: string
  readonly state: string
  readonly revision: number
  readonly failure: string
}

/** Operations of a part: with a few objects in each, far fewer than a body may have. */
const partSize = 500

/** Makes a draft of operations, in parts. @returns its id */
export async function makeDraft(
  api: Request,
  namespaceKey: string,
  operations: readonly object[],
): Promise<string> {
  const drafts = `/api/v1/namespaces/${namespaceKey}/drafts`
  const { id } = (await send(api, 'POST', drafts, {})) as Draft
  for (let from = 0, part = 1; from < operations.length; from += partSize, part++) {
    const body = { part, operations: operations.slice(from, from + partSize) }
    await send(api, 'POST', `${drafts}/${id}/operations`, body)
  }
  return id
}

/** Asks for a draft to be applied; it is done in the background. */
export async function askToApply(api: Request, namespaceKey: string, id: string): Promise<void> {
  await send(api, 'POST', '/api/v1/drafts/apply', { drafts: [{ namespaceKey, id }] })
}

/** @returns nothing while there is no answer */
export async function readDraft(
  api: Request,
  namespaceKey: string,
  id: string,
): Promise<Draft | undefined> {
  const path = `/api/v1/namespaces/${namespaceKey}/drafts/${id}`
  const answer = await api('GET', path).catch(() => undefined)
  return answer?.status === 200 ? (answer.body as Draft) : undefined
}

/** Waits until a draft is applied, or has failed. */
export async function untilSettled(api: Request, namespaceKey: string, id: string): Promise<Draft> {
  let draft: Draft | undefined
  await waitFor(async () => {
    draft = await readDraft(api, namespaceKey, id)
    return draft?.state === 'APPLIED_DRAFT_STATE' || draft?.state === 'FAILED_DRAFT_STATE'
  })
  if (draft === undefined) throw new Error(`no draft ${id}`)
  return draft
}

async function send(api: Request, method: string, path: string, body: object): Promise<unknown> {
  const answer = await api(method, path, body)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body
}
