import { askLocalClient, askLocalExplain, askRemoteClient } from './clients.ts'
import { askEngine, askExplain } from './engine.ts'
import { askBatch, askEvaluate, askExplainEndpoint, askOfrep, askOfrepBulk } from './http.ts'
import { askServerProvider, askWebProvider } from './providers.ts'
import type { Side } from './side.ts'

/** Every way to an answer, the shortest first. */
export const sides: readonly Side[] = [
  { name: 'engine', ask: askEngine },
  { name: 'engine, explain', ask: askExplain },
  { name: '/evaluate', ask: askEvaluate },
  { name: '/evaluate, batch', ask: askBatch },
  { name: '/evaluate, explain', ask: askExplainEndpoint },
  { name: 'OFREP, one flag', ask: askOfrep },
  { name: 'OFREP, several', ask: askOfrepBulk },
  { name: 'client, local', ask: askLocalClient },
  { name: 'client, local, explain', ask: askLocalExplain },
  { name: 'client, remote', ask: askRemoteClient },
  { name: 'OpenFeature, server', ask: askServerProvider },
  { name: 'OpenFeature, web', ask: askWebProvider },
]
