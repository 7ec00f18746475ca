import type { FlagDocument } from '@svc/client/api'
import { lazy, Suspense, useState } from 'react'
import { Badge } from '../../../components/chip.tsx'
import { CopyKey } from '../../../components/copy-key.tsx'
import { Note } from '../../../components/note.tsx'
import { Rich } from '../../../text/rich.tsx'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { isBoolean } from '../targeting/steps.ts'
import { flagTexts } from '../texts.ts'
import { Description } from './description.tsx'
import { FlagMenu } from './flag-menu.tsx'
import { StateBox } from './state-box.tsx'
import { Tags } from './tags.tsx'
import type { FlagWrites } from './writes.ts'

const Duplicate = lazy(() => import('./duplicate.tsx'))

/** What the flag is, what people get from it, and what is changed at once. */
export function FlagHead({ writes }: { readonly writes: FlagWrites }) {
  const t = useTexts(flagTexts)
  const { flag, name, stored, doAtOnce } = useFlag()
  const [isDuplicating, setDuplicating] = useState(false)
  const { shown } = writes
  const owner = ownerOf(shown)
  return (
    <>
      <div className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid min-w-0 flex-1 gap-2 max-md:basis-full">
          <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <h1 tabIndex={-1} className="wrap-anywhere">
              {name}
            </h1>
            <CopyKey text={flag.key} />
            <Badge>{isBoolean(flag) ? t.boolean : t.variant}</Badge>
          </div>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <Description />
            <Tags />
            {owner !== undefined && <span className="text-12 text-muted">{t.ownedBy(owner)}</span>}
          </div>
        </div>
        <div className="flex max-w-full items-start gap-2">
          <StateBox writes={writes} onTurn={(enabled) => doAtOnce(enabled ? 'on' : 'off')} />
          <FlagMenu onStop={() => doAtOnce('stop')} onDuplicate={() => setDuplicating(true)} />
        </div>
      </div>
      {stored.managedBy !== '' && (
        <div className="mb-4">
          <Note kind="attention">
            <Rich text={t.keptBy(stored.managedBy)} />
          </Note>
        </div>
      )}
      <Suspense fallback={null}>
        {isDuplicating && <Duplicate onClose={() => setDuplicating(false)} />}
      </Suspense>
    </>
  )
}

function ownerOf({ metadata }: FlagDocument): string | undefined {
  const owner = metadata?.owner
  return typeof owner === 'string' && owner !== '' ? owner : undefined
}
