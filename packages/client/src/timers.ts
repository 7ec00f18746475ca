/** Lets the process end while only this timer is left; browsers have no such thing. */
export function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    const { unref } = timer
    if (typeof unref === 'function') unref.call(timer)
  }
}
