import { useQuery } from '@tanstack/react-query'
import { Check, Minus } from 'lucide-react'
import { CopyButton } from '../../components/copy-key.tsx'
import { Icon } from '../../components/icon.tsx'
import { Note } from '../../components/note.tsx'
import { baseUrl } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { methodsQuery, viewerQuery } from '../../data/queries.ts'
import { useTexts } from '../../text/texts.ts'
import { type Kind, waysIn } from './methods.ts'
import { Section } from './section.tsx'
import { type SettingsTexts, settingsTexts } from './texts.ts'

/** How people and programs get in, as it is configured. */
export function WaysIn() {
  const t = useTexts(settingsTexts)
  const { data, error } = useQuery(methodsQuery)
  const { data: viewer } = useQuery(viewerQuery)
  const texts = textsOf(t)
  return (
    <Section id="methods" title={t.methods} lead={t.methodsText}>
      {viewer?.kind === 'open' && <Note>{t.noMethods}</Note>}
      {error !== null && data === undefined && <Note kind="failure">{messageOf(error)}</Note>}
      {data !== undefined && (
        <ul className="rounded-3 border border-line bg-raised">
          {waysIn(data.methods, baseUrl).map(({ kind, name, isOn, callbackUrl }) => (
            <li
              key={kind + name}
              className="flex min-h-row items-center gap-3 border-b border-line px-4 py-2 text-13 last:border-b-0"
            >
              <Icon of={isOn ? Check : Minus} className={isOn ? 'text-on' : 'text-faint'} />
              <span className="min-w-0 flex-1 wrap-break-word">
                <b className={isOn ? 'font-medium' : 'font-normal text-muted'}>
                  {name || texts[kind][0]}
                </b>{' '}
                <span className="text-muted">
                  {(kind !== 'METHOD_OIDC' || name !== '') && texts[kind][1]}
                </span>
              </span>
              {callbackUrl !== undefined && (
                <CopyButton
                  text={callbackUrl}
                  label={t.callback}
                  size="small"
                  title={callbackUrl}
                />
              )}
              <span className="text-12 text-muted">{isOn ? t.isOn : t.isOff}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** What each kind is called, and more about it. */
function textsOf(t: SettingsTexts): Readonly<Record<Kind, readonly [string, string]>> {
  return {
    METHOD_TOKEN: [t.tokens, t.tokensText],
    METHOD_OIDC: ['OpenID Connect', t.openid],
    METHOD_CODEHOST: [t.codehost, t.oauth],
    METHOD_ORCHESTRATOR: [t.orchestrator, t.orchestratorText],
    METHOD_JWT: [t.jwt, t.jwtText],
  }
}
