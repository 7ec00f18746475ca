/** Long enough for a page of ours with its filters; it travels in a cookie, five times at most. */
const maxLength = 512

/**
 * Where a browser goes after a login: a path of this service and nothing else. Backslashes count as
 * slashes to browsers, and they drop tabs and line ends before they look, so none of these may be in
 * it, nor anything that is not ASCII.
 *
 * @returns `/` when the wish is anything else
 */
export function toLocalPath(wish: string): string {
  return wish.length <= maxLength && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wish) ? wish : '/'
}
