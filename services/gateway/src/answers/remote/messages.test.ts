import { bound } from '@svc/contract/testing'
import { maxRequestBytes } from '@svc/rpc'
import t from 'tap'
import { bodyLimitOf } from '../../http/body.ts'
import { parseJsonObject } from '../../http/json.ts'
import { encodeRequest } from './messages.ts'

const apply = bound('Apply')
const maxBytes = bodyLimitOf(apply.operation.route)
const url = { params: { namespaceKey: 'prod' }, query: {} }

/** A member of an object, and how often it is there: what costs more as a message than as JSON. */
const details: Readonly<Record<string, object>> = {
  numbers: { a: Array(131_000).fill(1) },
  lists: { a: Array(16_000).fill([1]) },
  nested: { a: Array(500).fill(nested(28)) },
}

/** An object in an object, and so on. */
function nested(depth: number): object {
  return depth === 0 ? {} : { '': nested(depth - 1) }
}

t.test('the largest bodies fit the limit of requests between services', async (t) => {
  for (const [name, value] of Object.entries(details)) {
    const room = maxBytes - JSON.stringify({ details: { ...value, text: '' } }).length
    const body = Buffer.from(JSON.stringify({ details: { ...value, text: 'a'.repeat(room) } }))
    t.equal(body.length, maxBytes)
    const { bytes } = encodeRequest(apply, url, parseJsonObject(body))
    t.comment(`${name}: ${bytes.length}`)
    t.ok(bytes.length < maxRequestBytes, name)
  }
})
