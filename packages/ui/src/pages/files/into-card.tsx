import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Ask } from '../../components/dialog.tsx'
import { Select } from '../../components/select.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { NamespaceName, Tile } from '../../components/tile.tsx'
import { WhyField } from '../../components/why-field.tsx'
import { namespacesQuery } from '../../data/queries.ts'
import { svc } from '../../data/terminal.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import type { ImportPlan } from './import-plan.ts'
import type { ImportChoices } from './import-rows.ts'
import type { ReadFile } from './read-file.ts'
import { filesTexts } from './texts.ts'

interface Props {
  readonly file: ReadFile
  /** Where a file of one namespace goes; nothing for one of several. */
  readonly target: string | undefined
  readonly onTarget: (namespaceKey: string) => void
  readonly choices: ImportChoices
  readonly onChoices: (choices: ImportChoices) => void
  readonly newCount: number
  readonly onlyHereCount: number
  /** Nothing while it is made. */
  readonly plan: ImportPlan | undefined
  readonly isBusy: boolean
  readonly onApply: (comment: string) => void
}

/** Where a file goes, how, and the one button that writes. */
export function IntoCard({
  file,
  target,
  onTarget,
  choices,
  onChoices,
  newCount,
  onlyHereCount,
  plan,
  isBusy,
  onApply,
}: Props) {
  const t = useTexts(filesTexts)
  const { number } = useFormat()
  const offlineReason = useOfflineReason()
  const { data: namespaces = [] } = useQuery(namespacesQuery)
  const [comment, setComment] = useState('')
  const [isAsking, setAsking] = useState(false)
  const own = file.namespaces[0]?.namespaceKey ?? ''
  const isKnown = namespaces.some(({ key }) => key === own)
  const find = (key: string) =>
    namespaces.find((one) => one.key === key) ?? { key, name: '', confirm: false }
  const targets = target === undefined ? file.namespaces.map((one) => one.namespaceKey) : [target]
  const count = plan?.count ?? 0
  const isNew = plan?.targets.some((one) => one.isNew) === true
  const deleted = choices.deletes ? onlyHereCount : 0
  const reason =
    offlineReason ??
    (plan === undefined
      ? t.looking
      : plan.refusal !== undefined
        ? t.refused
        : count === 0 && !isNew
          ? t.nothing
          : undefined)
  const mustAsk = deleted > 0 || targets.some((key) => find(key).confirm)
  const run = () => {
    setAsking(false)
    onApply(comment.trim())
  }
  const options = [
    ...(choices.keeps ? ['--skip-existing'] : ['--replace']),
    ...(choices.deletes ? ['--prune'] : []),
  ]
  return (
    <div className="grid min-w-0 gap-5">
      <Card title={target === undefined ? t.intoEach : t.into}>
        {/* What is being written is not changed on the way. */}
        <fieldset disabled={isBusy} className="grid min-w-0 gap-4">
          {target === undefined ? (
            <ul className="grid gap-1.5 text-13">
              {targets.map((key) => (
                <li key={key}>
                  <NamespaceName namespace={find(key)} />
                </li>
              ))}
            </ul>
          ) : (
            <Select
              isBlock
              name={t.into}
              value={target}
              choices={[
                ...(isKnown ? [] : [{ value: own, text: t.intoNew(own) }]),
                ...namespaces.map((namespace) => ({
                  value: namespace.key,
                  text: namespace.name || namespace.key,
                  mark: <Tile namespace={namespace} />,
                })),
              ]}
              onChange={onTarget}
            />
          )}
          <Checkbox
            isChecked={choices.keeps}
            onChange={(keeps) => onChoices({ ...choices, keeps })}
          >
            {t.keeps}
            <span className="block text-12 text-muted">{t.keepsHelp(number(newCount))}</span>
          </Checkbox>
          <Checkbox
            isChecked={choices.deletes}
            onChange={(deletes) => onChoices({ ...choices, deletes })}
          >
            {t.deletes}
            <span className="block text-12 text-muted">{t.deletesHelp(number(onlyHereCount))}</span>
          </Checkbox>
          <WhyField value={comment} onChange={setComment} />
          <Button
            look="primary"
            className="w-full"
            isBusy={isBusy}
            disabledReason={reason}
            onClick={() => (mustAsk ? setAsking(true) : run())}
          >
            {t.apply(count, number(count))}
          </Button>
        </fieldset>
      </Card>
      {(target === undefined || target === own) && (
        <Terminal command={svc(undefined, 'import', ...file.names, ...options)} />
      )}
      <Ask
        isOpen={isAsking}
        isDanger={deleted > 0}
        onClose={() => setAsking(false)}
        onConfirm={run}
        title={
          <>
            {t.asksFirst}{' '}
            {targets.slice(0, 3).map((key) => (
              <span key={key} className="me-2">
                <NamespaceName namespace={find(key)} />
              </span>
            ))}
          </>
        }
        action={t.apply(count, number(count))}
      >
        {deleted > 0 && <p>{t.asksDelete(deleted, number(deleted))}</p>}
        {plan?.targets
          .filter(() => deleted > 0)
          .flatMap(({ rows }) => rows)
          .filter(({ after }) => after === undefined)
          .slice(0, 10)
          .map(({ kind, key }) => (
            <code key={`${kind} ${key}`} className="block wrap-anywhere">
              {key}
            </code>
          ))}
      </Ask>
    </div>
  )
}
