import { useQuery } from '@tanstack/react-query'
import { CodeXml } from 'lucide-react'
import { buttonClass } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Note } from '../../components/note.tsx'
import { Bone, Waiting } from '../../components/skeleton.tsx'
import { basePath } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { methodsQuery } from '../../data/queries.ts'
import { useTexts } from '../../text/texts.ts'
import { providersOf } from './providers.ts'
import { loginTexts } from './texts.ts'
import { TokenForm } from './token-form.tsx'

interface Props {
  /** The path of the page to come back to from a provider. */
  readonly back: string
  /** After a login that has not left the page. */
  readonly onDone: () => Promise<void>
  readonly hasFocus?: boolean
}

const hues = ['v1', 'v7', 'v2', 'v3', 'v4', 'v5', 'v6', 'v8']

/** A button for each way to sign in that is enabled, and the field for a token. */
export function Ways({ back, onDone, hasFocus = false }: Props) {
  const t = useTexts(loginTexts)
  const { data, error, isPending } = useQuery(methodsQuery)
  const { providers, hasToken } = providersOf(data?.methods ?? [])
  if (isPending)
    return (
      <Waiting>
        <div className="grid gap-4 py-2">
          <Bone width="w-full" className="h-10!" />
          <Bone width="w-full" className="h-10!" />
        </div>
      </Waiting>
    )
  if (error !== null) return <Note kind="failure">{messageOf(error)}</Note>
  if (providers.length === 0 && !hasToken)
    return (
      <Note>
        <b>{t.nothingTitle}.</b> {t.nothingText}
      </Note>
    )
  const hrefOf = (authorizeUrl: string) =>
    `${basePath}${authorizeUrl}?state=${encodeURIComponent(basePath + back)}`
  return (
    <>
      {providers.length > 0 && (
        <div className="grid gap-2">
          {providers.map(({ key, name, authorizeUrl }, place) => (
            <a
              key={key}
              className={`${buttonClass({ size: 'large', isBlock: true })} justify-start!`}
              href={hrefOf(authorizeUrl)}
            >
              <span
                className="grid size-5 place-items-center rounded-[0.3125rem] text-11 font-[650] text-v-label"
                style={{
                  background:
                    name === undefined ? 'var(--text)' : `var(--${hues[place % hues.length]})`,
                }}
                aria-hidden="true"
              >
                {name === undefined ? (
                  <Icon of={CodeXml} small className="text-raised" />
                ) : (
                  [...name][0]?.toUpperCase()
                )}
              </span>
              {name === undefined ? t.codehost : t.continueWith(name)}
            </a>
          ))}
        </div>
      )}
      {providers.length > 0 && hasToken && (
        <p className="mt-5 mb-4 flex items-center gap-3 text-12 text-faint before:flex-1 before:border-t before:border-line after:flex-1 after:border-t after:border-line">
          {t.orToken}
        </p>
      )}
      {hasToken && <TokenForm onDone={onDone} hasFocus={hasFocus} />}
    </>
  )
}
