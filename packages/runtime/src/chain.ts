/** A value, or a promise of one: steps that usually need not wait cost no turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>

/** The next step on a value: at once when the value is here, else when it comes. */
export function chain<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Runs work, and reports its failure, whether it throws at once or rejects later. */
export function onFailure<T>(
  work: () => MaybePromise<T>,
  report: (error: unknown) => void,
): MaybePromise<T> {
  const failed = (error: unknown): never => {
    report(error)
    throw error
  }
  try {
    const value = work()
    return value instanceof Promise ? value.catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}
