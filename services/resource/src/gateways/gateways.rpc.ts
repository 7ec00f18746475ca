import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { GatewayServiceDefinition } from '@svc/proto/resource/v1/gateways'
import type { Handlers } from '@svc/rpc'
import { recordNotFound } from '../records/errors.ts'
import { checkRequest } from '../records/requests.ts'
import { listGateways, readPositions, removeGateway, savePosition } from './gateways.store.ts'
import { toPropagation } from './propagation.ts'

export function gatewayHandlers(db: Database) {
  return {
    async getPropagation(request) {
      const { namespaceKey, revision } = checkRequest(fieldRules.GetPropagationRequest, request)
      const positions = await readPositions(db, namespaceKey)
      if (positions === undefined) throw recordNotFound('namespace', namespaceKey)
      return toPropagation(positions, revision)
    },
    async listGateways(_request) {
      return { gateways: await listGateways(db) }
    },
    async reportPosition(request) {
      const report = checkRequest(fieldRules.ReportPositionRequest, request)
      for (const position of report.positions) checkRequest(fieldRules.Position, position)
      await savePosition(db, report)
      return {}
    },
    async reportDeparture(request) {
      await removeGateway(db, checkRequest(fieldRules.ReportDepartureRequest, request).gatewayId)
      return {}
    },
  } satisfies Handlers<GatewayServiceDefinition, Caller>
}
