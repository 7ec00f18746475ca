import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Octagon } from 'lucide-react'
import { Button, buttonClass } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Avatar } from '../../../components/person.tsx'
import { RuleCard, Stop } from '../../../components/rail.tsx'
import { Time } from '../../../components/time.tsx'
import { api } from '../../../data/api.ts'
import { personOfActor } from '../../../data/people.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { targetingTexts } from './texts.ts'

interface Props {
  /** Of the rollout that *Stop* has made. */
  readonly id: string
  readonly onResume: () => void
}

/** The rollout that *Stop* has made: what is below waits. */
export function StoppedStop({ id, onResume }: Props) {
  const t = useTexts(targetingTexts)
  const { namespace, flag, readOnlyReason } = useFlag()
  const params = { namespaceKey: namespace.key, flagKey: flag.key }
  const { data: change } = useQuery({
    queryKey: ['stop', namespace.key, flag.key, id],
    queryFn: ({ signal }) => findStop(namespace.key, flag.key, id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const person = change && personOfActor(change.actor)
  return (
    <Stop node={<Icon of={Octagon} small />} isFailure data-step={id}>
      <RuleCard look="wrong">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
          <div className="min-w-0 flex-auto">
            <b>{t.stopped}</b>
            {change !== undefined && change !== null && (
              <p className="mt-0.5 flex flex-wrap items-center gap-x-1.5 text-12 text-muted">
                {person && <Avatar {...person} />}
                <span>
                  {person && t.stoppedBy(person.name)}
                  <Time at={change.at} />
                  {change.comment !== '' && <> {t.stoppedWhy(change.comment)}</>}
                </span>
              </p>
            )}
          </div>
          <span className="flex flex-wrap gap-2">
            <Link
              to="/ns/$namespaceKey/flags/$flagKey/history"
              params={params}
              className={buttonClass({ size: 'small' })}
            >
              {t.before}
            </Link>
            <Button look="primary" size="small" disabledReason={readOnlyReason} onClick={onResume}>
              {namespace.confirm ? t.resumeAsk : t.resume}
            </Button>
          </span>
        </div>
      </RuleCard>
    </Stop>
  )
}

/** The change that brought a rollout, among the last ones of the flag. */
async function findStop(namespaceKey: string, key: string, id: string, signal: AbortSignal) {
  const { changes } = await api.changes.list(
    { namespaceKey, kind: 'FLAG_KIND', key, limit: 20 },
    { signal },
  )
  const found = changes.find(({ items }) =>
    items.some(({ changes }) =>
      changes.some(({ before, after }) => before === undefined && after?.includes(id) === true),
    ),
  )
  return found ?? null
}
