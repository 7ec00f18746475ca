/** Maximum length: enough for a page with its filters. It travels in up to five cookies. */
const maxLength = 512

/**
 * Prevents open redirects: after a login a browser goes to a path of this service only. Browsers read
 * backslashes as slashes and drop tabs and line ends, so these are refused, as is all that is not ASCII.
 *
 * @returns `/` for any other target
 */
export function toLocalPath(target: string): string {
  return target.length <= maxLength && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(target)
    ? target
    : '/'
}
