import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Facts } from '../../components/card.tsx'
import { personOf } from '../../data/people.ts'
import { viewerQuery } from '../../data/queries.ts'
import { Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { endOf } from './link.ts'
import { cliLoginTexts } from './texts.ts'

/** Who asks, and what they may do then: said before it is allowed. */
export function WhatHappens({ host }: { readonly host: string }) {
  const t = useTexts(cliLoginTexts)
  const { list, timeOfDay } = useFormat()
  const { data: viewer } = useQuery(viewerQuery)
  const [now] = useState(() => Date.now())
  if (viewer?.kind !== 'session') return null
  const { authentication, namespaceKey } = viewer.session
  const { allowedAddresses, expiresAt } = authentication
  const isFromSome = allowedAddresses.length > 0
  return (
    <>
      <p className="text-pretty wrap-anywhere">
        <Rich text={t.what(host || t.unnamed)} />
      </p>
      <Facts
        facts={[
          [t.as, <b key="name">{personOf(authentication).name}</b>, 'as'],
          [t.where, namespaceKey === '' ? t.everywhere : t.onlyIn(namespaceKey), 'where'],
          ...(isFromSome ? [[t.from, list(allowedAddresses), 'from'] as const] : []),
          [t.ends, t.endsAt(timeOfDay(endOf(expiresAt, now))), 'ends'],
        ]}
      />
    </>
  )
}
