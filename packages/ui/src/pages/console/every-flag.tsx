import type { EvaluationResponse, Flag } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PageNamespace } from '../../app/namespace.ts'
import { PageError } from '../../app/page-error.tsx'
import { useLastPage } from '../../app/set-search.ts'
import { VariantKey } from '../../components/chip.tsx'
import { Dial } from '../../components/dial.tsx'
import { hueOf } from '../../components/hue.ts'
import { Pager } from '../../components/pager.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Table, TableHead, Td, Th, Tr } from '../../components/table.tsx'
import { componentTexts } from '../../components/texts.ts'
import { flagsQuery } from '../../data/queries.ts'
import type { AskedContext } from '../../explain/context.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { evaluateQuery } from './asking.ts'
import { NoFlags } from './no-flags.tsx'
import type { ConsoleSearch } from './search.ts'
import { consoleTexts } from './texts.ts'

/** Flags of a page of the list. */
const pageSize = 50

interface Props {
  readonly namespace: PageNamespace
  readonly search: ConsoleSearch
  readonly entityId: string
  readonly context: AskedContext
  readonly segmentNames: ReadonlyMap<string, string>
}

/** What each flag serves to one entity. */
export function EveryFlag({ namespace, search, entityId, context, segmentNames }: Props) {
  const t = useTexts(consoleTexts)
  const namespaceKey = namespace.key
  const offset = ((search.page ?? 1) - 1) * pageSize
  const list = useQuery(
    flagsQuery({ namespaceKey, sort: 'name', limit: pageSize, ...(offset > 0 && { offset }) }),
  )
  const flags = list.data?.flags ?? []
  const answers = useQuery({
    ...evaluateQuery(namespaceKey, flags, entityId, context),
    enabled: flags.length > 0,
  })
  useLastPage(search.page ?? 1, pageSize, list.isFetching ? undefined : list.data?.totalCount)
  const error = list.error ?? answers.error
  if (error !== null && answers.data === undefined) {
    const retry = () => void Promise.all([list.refetch(), answers.refetch()])
    return <PageError isPage={false} error={error} reset={retry} />
  }
  if (list.data?.totalCount === 0 && !list.isPlaceholderData)
    return <NoFlags namespace={namespace} />
  if (answers.data === undefined || list.data === undefined) {
    return (
      <Waiting>
        <SkeletonRows />
      </Waiting>
    )
  }
  return (
    <div>
      <Table label={t.flags}>
        <TableHead>
          <Th>{t.flag}</Th>
          <Th>{t.serves}</Th>
          <Th>{t.why}</Th>
        </TableHead>
        <tbody className="narrow:block">
          {flags.map((flag, place) => (
            <Tr key={flag.key} className="narrow:grid-cols-[minmax(0,1fr)_auto]">
              <Td className="md:w-[40%] md:max-w-0 md:min-w-36">
                <Link
                  from="/ns/$namespaceKey/console"
                  to="."
                  search={({ all: _, page: _page, ...rest }) => ({ ...rest, flag: flag.key })}
                  aria-label={t.ask(flag.name || flag.key)}
                  className="block min-w-0 hover:underline"
                >
                  <span className="block truncate font-medium">{flag.name || flag.key}</span>
                  <span className="block truncate font-mono text-[0.71875rem] text-muted">
                    {flag.key}
                  </span>
                </Link>
              </Td>
              <Answer flag={flag} answer={answers.data[place]} segmentNames={segmentNames} />
            </Tr>
          ))}
        </tbody>
      </Table>
      <Pager
        offset={offset}
        size={pageSize}
        total={list.data.totalCount}
        link={(page, className, children) => (
          <Link
            from="/ns/$namespaceKey/console"
            to="."
            className={className}
            search={({ page: _, ...rest }) => ({ ...rest, ...(page > 1 && { page }) })}
          >
            {children}
          </Link>
        )}
      />
    </div>
  )
}

function Answer({
  flag,
  answer,
  segmentNames,
}: {
  readonly flag: Flag
  readonly answer: EvaluationResponse | undefined
  readonly segmentNames: ReadonlyMap<string, string>
}) {
  const t = useTexts(consoleTexts)
  const c = useTexts(componentTexts)
  const { list } = useFormat()
  const { booleanResponse, variantResponse } = answer ?? {}
  const response = booleanResponse ?? variantResponse
  if (response === undefined) {
    return (
      <Td colSpan={2} className="text-muted">
        {t.gone}
      </Td>
    )
  }
  const key = variantResponse?.variantKey
  const hue = hueOf(flag.variants.findIndex((variant) => variant.key === key))
  const segments = list(response.segmentKeys.map((key) => segmentNames.get(key) || key))
  const why = {
    MATCH_EVALUATION_REASON: segments === '' ? t.byPercentage : t.becauseOf(segments),
    DEFAULT_EVALUATION_REASON: t.byDefault,
    FLAG_DISABLED_EVALUATION_REASON: t.byDisabled,
    UNKNOWN_EVALUATION_REASON: t.noDefault,
  }[response.reason]
  return (
    <>
      <Td>
        {booleanResponse !== undefined ? (
          <span className="inline-flex items-center gap-1.5">
            <Dial share={booleanResponse.enabled ? 100 : 0} />
            {booleanResponse.enabled ? c.on : c.off}
          </span>
        ) : key === undefined || key === '' ? (
          <span className="text-muted">{t.nothing}</span>
        ) : (
          <VariantKey name={key} hue={hue} />
        )}
      </Td>
      <Td className="text-muted narrow:col-span-2 narrow:text-12">{why}</Td>
    </>
  )
}
