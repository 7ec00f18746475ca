import { type Info, MetadataServiceDefinition } from '@svc/proto/meta/v1/meta'
import { version } from '@svc/runtime'
import { indentIf } from '../../http/json-text.ts'
import { type Answerers, answerersOf } from '../../operations/answerer.ts'

/**
 * What the gateway reports about this installation.
 *
 * @param required whether requests need a credential
 */
export function metaAnswerers(required: boolean): Answerers {
  const info: Info = {
    version,
    goVersion: `node ${process.version}`,
    updateAvailable: false,
    isRelease: !version.includes('-'),
    os: process.platform,
    arch: process.arch,
    authentication: { required },
    storage: { type: 'database' },
    analytics: { enabled: false },
  }
  const text = JSON.stringify(info)
  return answerersOf(MetadataServiceDefinition, {
    getInfo: () => ({
      prepare: ({ isPretty }) => ({
        namespaceKeys: [],
        answer: () => indentIf(isPretty, text),
      }),
    }),
  })
}
