import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Doorway } from '../../app/doorway.tsx'
import { useTitle } from '../../app/title.ts'
import { link } from '../../components/classes.ts'
import { Code } from '../../components/code.tsx'
import { CopyKey } from '../../components/copy-key.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Note } from '../../components/note.tsx'
import { queryClient } from '../../data/api.ts'
import { viewerQuery } from '../../data/queries.ts'
import { useTexts } from '../../text/texts.ts'
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
    <>
      <Doorway
        title={t.title}
        footer={
          <button type="button" className={`${link} h-6`} onClick={() => setLost(true)}>
            {t.lostTokens}
          </button>
        }
      >
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
      </Doorway>
      <Dialog isOpen={isLost} onClose={() => setLost(false)} title={t.lostTitle}>
        <div className="grid gap-3">
          <p>{t.lostText}</p>
          {commands.split('\n').map((command) => (
            <Code key={command} text={command} label={command} />
          ))}
        </div>
      </Dialog>
    </>
  )
}
