import { unavailable } from '@svc/runtime'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Guard } from '../identity/guard.ts'
import { setDataAge } from '../replica/data-age.ts'
import type { Replica } from '../replica/replica.ts'
import type { Method } from '../transcoding/contract.ts'
import { withPath } from '../transcoding/decode.ts'
import { resolveNamespaceKey } from '../transcoding/namespaces.ts'
import { type BoundRequest, routesOf } from '../transcoding/routes.ts'
import { CompressedSnapshots, minCompressedBytes } from './compressed.ts'
import { etagOf, namesEtag } from './etag.ts'
import { formFor, versionHeaders } from './form.ts'
import { emptySnapshot, type Snapshot } from './snapshot.ts'
import { Snapshots } from './snapshots.ts'
import { Turns } from './turns.ts'

export function isSnapshotMethod({ service }: Method): boolean {
  return service === 'svc.snapshot.v1.SnapshotService'
}

/** Mounts the snapshots for clients that evaluate by themselves. */
export function addSnapshotRoutes(
  app: FastifyInstance,
  methods: readonly Method[],
  { replica, guard }: { readonly replica: Replica; readonly guard: Guard },
): void {
  const snapshots = new Snapshots(new Turns())
  const compressed = new CompressedSnapshots()
  for (const route of routesOf(methods)) {
    const { binding, method, url } = route
    app.route<BoundRequest>({
      method: binding.verb,
      url,
      // It is compressed here, once for all who ask for it.
      compress: false,
      async handler(request, reply) {
        const { key } = withPath(route, request, {})
        const namespaceKey = resolveNamespaceKey(String(key), 'key')
        await guard.check(request, method.access, [namespaceKey])
        if (!replica.isLoaded) throw unavailable('flags are not loaded yet, try again')
        setDataAge(reply, replica)
        setCacheHeaders(reply)

        const copy = replica.namespace(namespaceKey)
        if (copy === undefined) return sendJson(reply, emptySnapshot(namespaceKey).body)
        const form = formFor(request.headers)
        const etag = etagOf(namespaceKey, copy.revision, form)
        if (namesEtag(request.headers['if-none-match'], etag)) {
          setValidators(reply, { etag, namespaceKey, revision: copy.revision })
          return reply.code(304).send()
        }

        const snapshot = await snapshots.get(copy, form)
        setValidators(reply, snapshot)
        const { body } = snapshot
        if ('pretty' in request.query) return sendJson(reply, indented(body))
        if (body.length < minCompressedBytes || !takesGzip(request.headers['accept-encoding'])) {
          return sendJson(reply, body)
        }
        reply.header('content-encoding', 'gzip')
        return sendJson(reply, await compressed.get(snapshot))
      },
    })
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
