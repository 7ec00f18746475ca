import { isObject } from '@svc/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { namesEtag } from '../../http/if-none-match.ts'
import type { Replica } from '../../replica/replica.ts'
import { CompressedSnapshots, minCompressedBytes } from './compressed.ts'
import { etagOf } from './etag.ts'
import { formFor, versionHeaders } from './form.ts'
import { emptySnapshot, type Snapshot } from './snapshot.ts'
import type { Snapshots } from './snapshots.ts'

/** Answers requests for a snapshot, once they have been let through. */
export class SnapshotAnswers {
  readonly #replica: Replica
  readonly #snapshots: Snapshots
  readonly #compressed = new CompressedSnapshots()

  constructor(replica: Replica, snapshots: Snapshots) {
    this.#replica = replica
    this.#snapshots = snapshots
  }

  /** @throws {AppError} `invalid_argument` when the namespace is too large */
  async send(
    { headers, query }: FastifyRequest,
    reply: FastifyReply,
    namespaceKey: string,
  ): Promise<FastifyReply> {
    setCacheHeaders(reply)
    const copy = this.#replica.namespace(namespaceKey)
    if (copy === undefined) return sendJson(reply, emptySnapshot(namespaceKey).body)
    const form = formFor(headers)
    const etag = etagOf(namespaceKey, copy.revision, form)
    if (namesEtag(headers['if-none-match'], etag)) {
      setValidators(reply, { etag, namespaceKey, revision: copy.revision })
      return reply.code(304).send()
    }

    const snapshot = await this.#snapshots.get(copy, form)
    setValidators(reply, snapshot)
    const { body } = snapshot
    if (isObject(query) && 'pretty' in query) return sendJson(reply, indented(body))
    if (body.length < minCompressedBytes || !takesGzip(headers['accept-encoding'])) {
      return sendJson(reply, body)
    }
    reply.header('content-encoding', 'gzip')
    return sendJson(reply, await this.#compressed.get(snapshot))
  }
}

/** Kept by nobody but the client, who asks each time whether it is still the same. */
function setCacheHeaders(reply: FastifyReply): void {
  const vary = [reply.getHeader('vary') ?? [], 'accept-encoding', ...versionHeaders].flat()
  reply.headers({ 'cache-control': 'private, no-cache', vary: vary.join(', ') })
}

function setValidators(
  reply: FastifyReply,
  { etag, namespaceKey, revision }: Pick<Snapshot, 'etag' | 'namespaceKey' | 'revision'>,
): void {
  reply.headers({ etag, 'x-svc-revision': `${namespaceKey}:${revision}` })
}

function sendJson(reply: FastifyReply, body: Buffer): FastifyReply {
  return reply.header('content-type', 'application/json').send(body)
}

/** Those who read it themselves look at small namespaces; to indent more would hold up the others. */
const maxIndentedBytes = 2 ** 20

function indented(body: Buffer): Buffer {
  if (body.length > maxIndentedBytes) return body
  return Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 2))
}

/** Unless it is refused with a weight of zero. */
function takesGzip(acceptEncoding: FastifyRequest['headers']['accept-encoding']): boolean {
  return /(?:^|[\s,])(?:x-)?gzip\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:$|,)))/i.test(
    String(acceptEncoding),
  )
}
