import { AppError, Limiter, unavailable } from '@svc/runtime'

/**
 * Maximum time of a review with the wait before it, in milliseconds. The caller wants an answer
 * within two seconds; the rest of them is for the network and a busy machine.
 */
export const reviewLimitMs = 1500

/** Limits the requests to the API server, which serves the whole cluster. */
export function reviewLimiter(): Limiter {
  return new Limiter({
    maxRunning: 10,
    maxStartsPerSecond: 20,
    // As many as begin within the limit, when each review is quick.
    maxWaiting: 30,
    maxWaitingPerKey: 10,
    maxWaitMs: reviewLimitMs,
    refuse: (_caller, refusal) => (refusal === 'queue_full' ? tooMany() : unverifiable()),
  })
}

function tooMany(): AppError {
  const message = 'too many service accounts log in, try again in a second'
  return new AppError('resource_exhausted', 'too_many_reviews', message)
}

/** The API server cannot be asked, or does not answer. */
export function unverifiable(): AppError {
  return unavailable('service accounts cannot be verified at present, try again')
}
