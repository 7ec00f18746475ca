import { text } from 'node:stream/consumers'
import { OFREPProvider } from '@openfeature/ofrep-provider'
import { OpenFeature } from '@openfeature/server-sdk'

const { url, headers, context, cases } = JSON.parse(await text(process.stdin))
const provider = new OFREPProvider({ baseUrl: url, headers: Object.entries(headers) })
await OpenFeature.setProviderAndWait(provider)
const client = OpenFeature.getClient()

const ask = {
  boolean: client.getBooleanDetails,
  string: client.getStringDetails,
  integer: client.getNumberDetails,
  float: client.getNumberDetails,
  object: client.getObjectDetails,
}

const results = []
for (const { type, key, fallback } of cases) {
  const { value, variant, reason, errorCode } = await ask[type].call(client, key, fallback, context)
  results.push({ value, variant, reason, error: errorCode })
}
console.log(JSON.stringify(results))
