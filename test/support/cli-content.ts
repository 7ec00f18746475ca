import { call } from './http.ts'

/** `test/fixtures/cli.yml`. */
export interface CliContent {
  readonly namespaces: Readonly<Record<string, NamespaceContent>>
  readonly tokens: readonly string[]
  readonly revision: number
}

interface NamespaceContent {
  readonly settings: { readonly name: string }
  readonly flags?: Readonly<Record<string, object>>
  readonly segments?: Readonly<Record<string, object>>
}

interface Documents {
  readonly flags: readonly { readonly key: string }[]
  readonly segments: readonly { readonly key: string }[]
}

const kinds = [
  ['FLAG_KIND', 'flags', 'flag'],
  ['SEGMENT_KIND', 'segments', 'segment'],
] as const

/** What the examples of the command line are run against, and put back between them. */
export class CliService {
  readonly #content: CliContent
  readonly #url: string
  readonly #token: string

  constructor(content: CliContent, { url, token }: { url: string; token: string }) {
    this.#content = content
    this.#url = url
    this.#token = token
  }

  /** Makes all of it; `checkout` is turned on by the change with the revision of the content. */
  async fill(): Promise<void> {
    const { revision } = this.#content
    const patch = (key: string, patch: object) =>
      this.#apply('default', [{ kind: 'FLAG_KIND', key, patch }])
    await this.reset()
    let last = await patch('checkout', { enabled: false })
    while (last < revision - 1) last = await patch('old-banner', { description: `after ${last}` })
    last = await patch('checkout', { enabled: true })
    if (last !== revision) throw new Error(`it is at revision ${last}, not ${revision}`)
    await this.reset()
  }

  /** Makes what is missing, puts back what was changed, and deletes what is not of it. */
  async reset(): Promise<void> {
    const { namespaces, tokens } = this.#content
    const { namespaces: present } = await this.#call<{ namespaces: { key: string }[] }>(
      'GET',
      '/api/v1/namespaces',
    )
    for (const { key } of present) {
      if (!(key in namespaces)) await this.#call('DELETE', `/api/v1/namespaces/${key}?force=true`)
    }
    for (const [key, content] of Object.entries(namespaces)) {
      if (!present.some((namespace) => namespace.key === key)) {
        await this.#call('POST', '/api/v1/namespaces', { key, name: content.settings.name })
      }
      await this.#resetNamespace(key, content)
    }
    await this.#resetTokens(tokens)
  }

  async #resetNamespace(namespaceKey: string, content: NamespaceContent): Promise<void> {
    const path = `/api/v1/namespaces/${namespaceKey}/document?limit=1000`
    const present = await this.#call<Documents>('GET', path)
    const operations: object[] = [{ kind: 'NAMESPACE_KIND', settings: content.settings }]
    for (const [kind, group, member] of kinds) {
      const documents = content[group] ?? {}
      for (const { key } of present[group]) {
        if (!(key in documents)) operations.push({ kind, key, delete: true })
      }
      for (const [key, document] of Object.entries(documents)) {
        operations.push({ kind, key, [member]: document })
      }
    }
    await this.#apply(namespaceKey, operations)
  }

  async #resetTokens(names: readonly string[]): Promise<void> {
    type Token = { readonly id: string; readonly metadata: Record<string, string> }
    const path = '/auth/v1/tokens?method=METHOD_TOKEN&limit=100'
    const { authentications } = await this.#call<{ authentications: Token[] }>('GET', path)
    const present = authentications.map(({ metadata }) => metadata['io.svc.auth.token.name'] ?? '')
    for (const name of names) {
      if (!present.includes(name)) await this.#call('POST', '/auth/v1/method/token', { name })
    }
  }

  async #apply(namespaceKey: string, operations: readonly object[]): Promise<number> {
    const path = `/api/v1/namespaces/${namespaceKey}/apply`
    return (await this.#call<{ revision: number }>('POST', path, { operations })).revision
  }

  async #call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const headers = { authorization: `Bearer ${this.#token}` }
    const answer = await call(this.#url, method, path, body, headers)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.body as Body
  }
}
