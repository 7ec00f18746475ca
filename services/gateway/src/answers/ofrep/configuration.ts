/**
 * How often a provider may ask whether something has changed, in milliseconds. 5,000 of them are then
 * 500 requests a second, a few percent of a core, since an unchanged answer costs no evaluation. Event
 * streams tell sooner.
 */
const minPollingIntervalMs = 10_000

/** What `GET /ofrep/v1/configuration` answers. */
export const configuration = JSON.stringify({
  name: 'svc',
  capabilities: {
    cacheInvalidation: { polling: { enabled: true, minPollingIntervalMs } },
    flagEvaluation: { supportedTypes: ['string', 'boolean'] },
  },
})
