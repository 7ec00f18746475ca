/** What was given is no document of its kind. The message names the member and what it has to be. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  /** Where, such as `rules[0].distributions[1].rollout`; empty for the document itself. */
  readonly path: string

  constructor(path: string, rule: string, options?: ErrorOptions) {
    super(`${path || 'the document'} ${rule}`, options)
    this.path = path
  }
}
