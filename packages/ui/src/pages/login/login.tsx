import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTitle } from '../../app/title.ts'
import { link } from '../../components/classes.ts'
import { Code } from '../../components/code.tsx'
import { CopyKey } from '../../components/copy-key.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Note } from '../../components/note.tsx'
import { queryClient } from '../../data/api.ts'
import { viewerQuery } from '../../data/queries.ts'
import { useTexts } from '../../text/texts.ts'
import { Mark } from './mark.tsx'
import { loginTexts } from './texts.ts'
import { Ways } from './ways.tsx'

/** What prints a new token, by how the service runs. */
const commands =
  'npm start -- --new-token\ndocker compose exec auth svc-auth token create --name recovered'

export function LoginPage() {
  const t = useTexts(loginTexts)
  const navigate = useNavigate()
  const { back = '/', error, request } = useSearch({ from: '/login' })
  const [isLost, setLost] = useState(false)
  useTitle(t.pageTitle)
  const enter = async () => {
    queryClient.clear()
    await queryClient.fetchQuery(viewerQuery)
    await navigate({ href: back })
  }
  return (
    <main
      id="main"
      tabIndex={-1}
      className="grid min-h-dvh place-items-center bg-[linear-gradient(90deg,transparent_calc(50%-0.75px),var(--line-strong)_0_calc(50%+0.75px),transparent_0)] px-4 py-6"
    >
      <div className="grid w-[min(22.5rem,100%)] gap-6">
        <div className="grid justify-items-center gap-3 text-center">
          <Mark />
          <div className="bg-canvas px-2">
            <h1 className="text-24" tabIndex={-1}>
              {t.title}
            </h1>
            <p className="mt-0.5 text-13 text-muted">{location.host}</p>
          </div>
        </div>
        <div className="rounded-4 bg-raised p-6 shadow-layer">
          {error !== undefined && (
            <div className="mb-4">
              <Note kind="failure">
                <b>{t.failedTitle}</b> {t.failures[error]}
                {request !== undefined && (
                  <span className="mt-2 flex items-center gap-2 text-12">
                    {t.request} <CopyKey text={request} />
                  </span>
                )}
              </Note>
            </div>
          )}
          <Ways back={back} onDone={enter} />
        </div>
        <p className="justify-self-center bg-canvas px-2 py-1 text-center text-12 text-faint">
          <button type="button" className={`${link} h-6`} onClick={() => setLost(true)}>
            {t.lostTokens}
          </button>
        </p>
      </div>
      <Dialog isOpen={isLost} onClose={() => setLost(false)} title={t.lostTitle}>
        <div className="grid gap-3">
          <p>{t.lostText}</p>
          {commands.split('\n').map((command) => (
            <Code key={command} text={command} label={command} />
          ))}
        </div>
      </Dialog>
    </main>
  )
}
