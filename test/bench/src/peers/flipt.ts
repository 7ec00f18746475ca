import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkAnswer, toDocument } from '../servers/flags.ts'
import type { Peer } from './peer.ts'

const token = 'bench-0123456789abcdef0123456789abcdef'

/** Flipt 1 with flags from a file, which it keeps in memory. Its tokens are in SQLite. */
export const flipt: Peer = {
  name: 'flipt',
  variable: 'BENCH_FLIPT',
  prepare({ folder, port, otherPorts: [grpc], flagKeys }) {
    // JSON is YAML. Version 1.4 is the latest that it reads.
    const document = { ...toDocument(flagKeys), version: '1.4', namespace: 'default' }
    writeFileSync(join(folder, 'features.yml'), JSON.stringify(document))
    return {
      args: [],
      env: {
        FLIPT_SERVER_HOST: '127.0.0.1',
        FLIPT_SERVER_HTTP_PORT: `${port}`,
        FLIPT_SERVER_GRPC_PORT: `${grpc}`,
        FLIPT_STORAGE_TYPE: 'local',
        FLIPT_STORAGE_LOCAL_PATH: folder,
        FLIPT_DB_URL: `file:${join(folder, 'flipt.db')}`,
        FLIPT_AUTHENTICATION_REQUIRED: 'true',
        FLIPT_AUTHENTICATION_METHODS_TOKEN_ENABLED: 'true',
        FLIPT_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: token,
        FLIPT_LOG_LEVEL: 'WARN',
        FLIPT_META_CHECK_FOR_UPDATES: 'false',
        FLIPT_META_TELEMETRY_ENABLED: 'false',
      },
    }
  },
  ask: (question) => ({
    path: '/evaluate/v1/boolean',
    body: question,
    authorization: `Bearer ${token}`,
  }),
  check: (question, answer) => checkAnswer(question, answer as Parameters<typeof checkAnswer>[1]),
}
