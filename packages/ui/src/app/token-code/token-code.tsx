import type { Flag } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Code } from '../../components/code.tsx'
import { Segmented } from '../../components/tabs.tsx'
import { baseUrl } from '../../data/api.ts'
import { flagsQuery } from '../../data/queries.ts'
import { quote } from '../../data/quote.ts'
import { curlOf } from '../../data/snippets.ts'
import { useTexts } from '../../text/texts.ts'
import { nodeCode, openFeatureCode, terminalCode, withToken } from './code.ts'
import { tokenCodeTexts } from './texts.ts'

interface Props {
  readonly namespaceKey: string
  /** Shown in the code while it is known. It is held by the one who renders this, and nowhere else. */
  readonly secret: string | undefined
  /** @default the one that was changed last */
  readonly flag?: Flag | undefined
}

const ways = ['curl', 'node', 'openfeature', 'terminal'] as const
type Way = (typeof ways)[number]

/** What an application runs to ask for a flag of the namespace. */
export function TokenCode({ namespaceKey, secret, flag: given }: Props) {
  const t = useTexts(tokenCodeTexts)
  const [way, setWay] = useState<Way>('curl')
  const { data } = useQuery({
    ...flagsQuery({ namespaceKey, limit: 1, sort: '-updatedAt' }),
    enabled: given === undefined,
  })
  const flag = given ?? data?.flags[0]
  if (given === undefined && data === undefined) return null
  if (flag === undefined) {
    const command = [
      `curl ${quote(`${baseUrl}/api/v1/namespaces/${namespaceKey}/flags`)}`,
      '  -H "Authorization: Bearer $SVC_TOKEN"',
    ].join(' \\\n')
    return <Code label="curl" text={withToken(secret, command)} />
  }
  const code = { url: baseUrl, namespaceKey, flag }
  const texts: Readonly<Record<Way, string>> = {
    node: nodeCode(code, secret),
    openfeature: openFeatureCode(code, secret),
    terminal: terminalCode(code, secret),
    curl: withToken(secret, curlOf(namespaceKey, flag)),
  }
  return (
    <div className="grid min-w-0 gap-2">
      <span>
        <Segmented
          label={t.useWith}
          value={way}
          onChange={setWay}
          choices={ways.map((one) => [one, t.ways[one]] as const)}
        />
      </span>
      <Code label={t.ways[way]} text={texts[way]} className="max-h-80" />
    </div>
  )
}
