import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CodeXml } from 'lucide-react'
import { useEffect } from 'react'
import { Icon } from '../../components/icon.tsx'
import { Note } from '../../components/note.tsx'
import { basePath, queryClient } from '../../data/api.ts'
import { infoQuery, methodsQuery, viewerQuery } from '../../data/queries.ts'
import { useText } from '../../text/text.ts'
import { Mark } from './mark.tsx'
import { providersOf } from './providers.ts'
import { TokenForm } from './token-form.tsx'

/** A button for each way to sign in that is enabled, and the field for a token. */
export function LoginPage() {
  const t = useText()
  const navigate = useNavigate()
  const { back = '/', error } = useSearch({ from: '/login' })
  const { data, isSuccess } = useQuery(methodsQuery)
  const { data: info } = useQuery(infoQuery)
  useEffect(() => {
    document.title = t.login.title
  }, [t])
  const { providers, hasToken } = providersOf(data?.methods ?? [])
  const enter = async () => {
    await queryClient.invalidateQueries({ queryKey: viewerQuery.queryKey })
    await navigate({ href: back })
  }
  const hrefOf = (authorizeUrl: string) =>
    `${basePath}${authorizeUrl}?state=${encodeURIComponent(back)}`
  return (
    <main id="main" className="center-page on-rail" tabIndex={-1}>
      <div className="login stack s6">
        <div className="stack s3 login-head">
          <Mark />
          <div className="plate">
            <h1 className="text-24">{t.login.title}</h1>
            <p className="muted t13">{location.host}</p>
          </div>
        </div>
        <div className="card layer login-card">
          {error !== undefined && <Note kind="failure">{t.login.failed(error)}</Note>}
          {isSuccess && providers.length === 0 && !hasToken && (
            <Note>{t.login.nothingEnabled}</Note>
          )}
          <div className="stack s2">
            {providers.map(({ key, name, authorizeUrl }) => (
              <a key={key} className="btn lg block login-provider" href={hrefOf(authorizeUrl)}>
                <span className="tile" aria-hidden="true" data-l={name?.[0]?.toUpperCase()}>
                  {name === undefined && <Icon of={CodeXml} small />}
                </span>
                {name === undefined ? t.login.codehost : t.login.continueWith(name)}
              </a>
            ))}
          </div>
          {providers.length > 0 && hasToken && <p className="login-or">{t.login.orToken}</p>}
          {hasToken && <TokenForm onDone={enter} isPrimary />}
        </div>
        <p className="small faint plate login-foot">svc {info?.version}</p>
      </div>
    </main>
  )
}
