import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { flagTextOf } from '../../replica/namespace-state.ts'
import type { Form, Pieces } from '../copies/form.ts'
import { FlagReader, type Understood } from './flag-reader.ts'

/** The headers that name the version that a client understands; ours first. */
const versionHeaders = ['x-svc-accept-server-version', 'x-flipt-accept-server-version']

/** Since 1.47. */
export const currentForm = toForm('1.47', { hasEntityIds: true, hasDefaultVariants: true })
const formOf1_38 = toForm('1.38', { hasEntityIds: true, hasDefaultVariants: false })
const earliestForm = toForm('1.37', { hasEntityIds: false, hasDefaultVariants: false })

// Semantic versioning, but for what clients leave out: `1.47`, `v1.47.0`.
const version =
  /^\s*v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(-[-.0-9a-z]+)?(?:\+[-.0-9a-z]+)?\s*$/i

/** The form that a client requests by the highest server version that it understands. */
export function formFor(headers: IncomingHttpHeaders): Form {
  const name = versionHeaders.find((header) => headers[header] !== undefined)
  const [, major = '0', minor = '0', patch = '0', prerelease] =
    version.exec(String(name && headers[name])) ?? []
  const isAtLeast = (wanted: number) => {
    if (Number(major) !== 1) return Number(major) > 1
    if (Number(minor) !== wanted) return Number(minor) > wanted
    return prerelease === undefined || Number(patch) > 0
  }
  if (isAtLeast(47)) return currentForm
  return isAtLeast(38) ? formOf1_38 : earliestForm
}

function toForm(name: string, understood: Understood): Form {
  return {
    name,
    wholeEvent: 'snapshot',
    varyOn: versionHeaders,
    // Without quotes, as the clients of this interface compare it.
    etagOf: (namespaceKey, revision) => hash('sha1', `${namespaceKey}:${revision}:${name}`),
    emptyOf: (namespaceKey) => `${headOf(namespaceKey)}]}`,
    wholeOf(view) {
      const flags = flagPieces(view, understood)
      return function* () {
        yield headOf(view.namespaceKey)
        yield* flags()
        yield ']}'
      }
    },
    // Flags are written with their segments, and so change with them.
    changesSince(state, revision) {
      const flagKeys = state.changedSince(revision)
      return flagKeys && { flagKeys, segmentKeys: new Set() }
    },
    changeOf({ fromRevision, flagKeys, view }) {
      const flags = flagPieces(view, understood)
      const there = new Set(view.flags.map(({ key }) => key))
      const deletedFlagKeys = [...flagKeys].filter((key) => !there.has(key))
      return function* () {
        yield `{"revision":${view.revision},"fromRevision":${fromRevision},"flags":[`
        yield* flags()
        yield `],"deletedFlagKeys":${JSON.stringify(deletedFlagKeys)}}`
      }
    },
  }
}

function headOf(namespaceKey: string): string {
  return `{"namespace":{"key":${JSON.stringify(namespaceKey)}},"flags":[`
}

function flagPieces(
  { flags, segments }: Parameters<Form['wholeOf']>[0],
  understood: Understood,
): Pieces {
  const reader = new FlagReader(segments, understood)
  return function* () {
    let separator = ''
    for (const flag of flags) {
      if (separator !== '') yield separator
      separator = ','
      yield* reader.read(flagTextOf(flag))
    }
  }
}
