import type {
  FlagDocument,
  NamespaceSettings,
  SegmentDocument,
} from '@svc/proto/resource/v1/documents'
import { toDocument } from '../reading.ts'

/** What reading a namespace needs of the service. `createApi` of `@svc/client/api` has it. */
export interface NamespaceReader {
  readonly documents: {
    getNamespace(
      request: {
        readonly namespaceKey: string
        readonly revision?: number
        readonly limit: number
        readonly pageToken: string
      },
      options?: { readonly signal?: AbortSignal | undefined },
    ): Promise<NamespacePage>
  }
}

interface NamespacePage {
  readonly revision: number
  readonly settings: NamespaceSettings
  readonly flags: readonly object[]
  readonly segments: readonly object[]
  readonly nextPageToken: string
}

/** A namespace with all its flags and segments, each by key, as they were at one revision. */
export interface StoredNamespace {
  readonly namespaceKey: string
  readonly revision: number
  readonly settings: NamespaceSettings
  readonly flags: readonly FlagDocument[]
  readonly segments: readonly SegmentDocument[]
}

export interface ReadNamespaceOptions {
  /** Left out: the present one. */
  readonly revision?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Is told how many flags and segments have been read. */
  readonly onProgress?: ((count: number) => void) | undefined
}

/** The most that a page may have. */
const pageSize = 1000

/**
 * Reads a namespace page by page, all of one revision.
 *
 * @throws what the service answers: 404 when there is no such namespace, or its log does not reach back
 * @throws {DocumentError} for documents of a later release, which have members that are not known here
 */
export async function readNamespace(
  api: NamespaceReader,
  namespaceKey: string,
  { revision, signal, onProgress }: ReadNamespaceOptions = {},
): Promise<StoredNamespace> {
  const flags: FlagDocument[] = []
  const segments: SegmentDocument[] = []
  let pageToken = ''
  while (true) {
    const page = await api.documents.getNamespace(
      { namespaceKey, ...(revision !== undefined && { revision }), limit: pageSize, pageToken },
      { signal },
    )
    for (const flag of page.flags) flags.push(toDocument('flag', flag))
    for (const segment of page.segments) segments.push(toDocument('segment', segment))
    onProgress?.(flags.length + segments.length)
    pageToken = page.nextPageToken
    if (pageToken === '')
      return { namespaceKey, revision: page.revision, settings: page.settings, flags, segments }
  }
}
