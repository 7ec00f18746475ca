import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import clsx from 'clsx'
import { Check, CircleAlert, TriangleAlert } from 'lucide-react'
import { Crumbs } from '../../app/crumbs.tsx'
import { useShownNamespace } from '../../app/namespace.ts'
import { useTitle } from '../../app/title.ts'
import { buttonClass } from '../../components/button.tsx'
import { link } from '../../components/classes.ts'
import { CopyButton } from '../../components/copy-key.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { Select } from '../../components/select.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { Tile } from '../../components/tile.tsx'
import { Time } from '../../components/time.tsx'
import { basePath } from '../../data/api.ts'
import { useConnection } from '../../data/connection.ts'
import { failureOf, messageOf } from '../../data/errors.ts'
import { infoQuery, namespacesQuery } from '../../data/queries.ts'
import {
  gatewaysQuery,
  newestChangeQuery,
  propagationQuery,
  readyQuery,
} from '../../data/status.ts'
import { svc } from '../../data/terminal.ts'
import { historyPartTexts } from '../../history/texts.ts'
import { whoOf } from '../../history/who.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { useDuration } from './duration.ts'
import { Fact, Pairs, PartRow } from './facts.tsx'
import { headlineOf, tellFinding } from './findings.ts'
import { GatewayTable } from './gateways.tsx'
import { findingsOf, type Level, levelOf, linesOf, type Source } from './health.ts'
import { reportOf } from './report.ts'
import { statusTexts } from './texts.ts'

const looks: Readonly<Record<Level, { readonly icon: typeof Check; readonly look: string }>> = {
  fine: { icon: Check, look: 'bg-on-soft text-on' },
  attention: { icon: TriangleAlert, look: 'bg-draft-soft text-draft' },
  failure: { icon: CircleAlert, look: 'bg-danger-soft text-danger' },
}

/** What the viewer may not see is no failure, and there may be no namespace yet. */
function hasFailed({ error }: { readonly error: unknown }): boolean {
  return error !== null && !['forbidden', 'missing'].includes(failureOf(error).kind)
}

/** Whether it works: in one sentence, and then part by part. */
export function StatusPage() {
  const t = useTexts(statusTexts)
  const h = useTexts(historyPartTexts)
  const format = useFormat()
  const { number } = format
  const duration = useDuration()
  const search = useSearch({ from: '/inside/status' })
  const navigate = useNavigate({ from: '/status' })
  const shown = useShownNamespace()
  const { isOnline } = useConnection()
  const { data: namespaces = [] } = useQuery(namespacesQuery)
  const namespace = namespaces.find(({ key }) => key === search.ns) ?? shown
  const namespaceKey = namespace?.key ?? 'default'
  const namespaceName = namespace?.name || namespaceKey
  useTitle(t.title)

  const ready = useQuery(readyQuery)
  const gateways = useQuery(gatewaysQuery)
  const propagation = useQuery(propagationQuery(namespaceKey))
  const newest = useQuery(newestChangeQuery(namespaceKey))
  const { data: info } = useQuery(infoQuery)

  const lines = linesOf(gateways.data?.gateways, propagation.data)
  const failed: readonly Source[] = [
    ...(ready.isError ? ['ready' as const] : []),
    ...(hasFailed(gateways) ? ['gateways' as const] : []),
    ...(hasFailed(propagation) ? ['revisions' as const] : []),
  ]
  const findings = findingsOf({
    ...{ isOnline, gateways: lines, failed },
    // What it said at an earlier look is no longer known.
    ready: ready.isError ? undefined : ready.data,
  })
  const level = levelOf(findings)
  const isKnown = !isOnline || !(ready.isPending || gateways.isPending)
  const headline = isKnown ? headlineOf(findings, t) : t.looking
  const { icon, look } = looks[level]
  const { slowestMs, reached = 0, gateways: total = 0 } = propagation.data ?? {}
  const report = () => ({
    ...{ at: new Date(), headline, info, ready: ready.data, gateways: lines, namespaceKey },
    ...{ revision: propagation.data?.revision, userAgent: navigator.userAgent },
  })

  return (
    <>
      <Crumbs path={[{ text: t.title }]} />
      <Page>
        <div className="mb-6 flex flex-wrap items-center gap-4">
          <span
            className={clsx('grid size-11 flex-none place-items-center rounded-full', look)}
            aria-hidden="true"
          >
            <Icon of={icon} />
          </span>
          <div className="min-w-48 flex-1" role="status">
            <h1 tabIndex={-1} className="wrap-break-word">
              {headline}
            </h1>
            {isKnown && (
              <div className="max-w-[70ch] text-muted">
                {findings.length === 0 ? (
                  <p>
                    {lines.length === 0
                      ? t.fineUnknown
                      : t.fineText(lines.length, number(lines.length))}
                  </p>
                ) : (
                  findings.map((finding) => (
                    <p key={`${finding.kind} ${'part' in finding ? finding.part : ''}`}>
                      {tellFinding(finding, t, number, duration)}
                    </p>
                  ))
                )}
              </div>
            )}
          </div>
          <div className="flex flex-wrap gap-2">
            <a className={buttonClass()} href={`${basePath}/docs`} target="_blank" rel="noreferrer">
              {t.docs}
            </a>
            <CopyButton text={reportOf(report())} label={t.copy} />
          </div>
        </div>

        <div className="grid grid-cols-3 gap-4 max-lg:grid-cols-2 narrow:grid-cols-1">
          <Fact
            title={t.lastChange}
            value={slowestMs === undefined ? '–' : number(Math.round(slowestMs))}
            unit={slowestMs === undefined ? '' : 'ms'}
          >
            {total > 0 && <p>{t.lastChangeText(number(reached), number(total))}</p>}
            <p className="text-muted">
              {slowestMs === undefined ? t.notMeasured : t.lastChangeHelp}
            </p>
          </Fact>
          <Fact
            title={
              <span className="flex min-w-0 flex-1 items-center gap-2">
                <span className="flex-1">{t.revision}</span>
                {namespaces.length > 1 && (
                  <Select
                    isSmall
                    name={t.namespace}
                    value={namespaceKey}
                    choices={namespaces.map((one) => ({
                      value: one.key,
                      text: one.name || one.key,
                      mark: <Tile namespace={one} size="small" />,
                    }))}
                    onChange={(ns) =>
                      void navigate({ to: '.', replace: true, search: { ns } }).catch(() => {})
                    }
                  />
                )}
              </span>
            }
            value={propagation.data === undefined ? '–' : number(propagation.data.revision)}
          >
            {newest.data !== undefined && newest.data !== null && (
              <p>
                <Time at={newest.data.at} /> {t.by(whoOf(newest.data.actor, h).name)}
                {' · '}
                <Link to="/ns/$namespaceKey/changes" params={{ namespaceKey }} className={link}>
                  {t.showChanges}
                </Link>
              </p>
            )}
            {newest.data === null && <p className="text-muted">{t.noChange}</p>}
            <Pairs
              pairs={[
                [t.flags, namespace?.flagCount],
                [t.segments, namespace?.segmentCount],
              ].map(([name, count]) => [
                String(name),
                count === undefined ? '–' : number(Number(count)),
              ])}
            />
          </Fact>
          {info !== undefined && (
            <Fact
              title={t.build}
              value={info.version}
              className="max-lg:col-span-2 narrow:col-span-1"
            >
              <p className="text-muted">{info.isRelease ? t.release : t.preRelease}</p>
              <Pairs
                pairs={[
                  [t.runtime, info.goVersion],
                  [t.platform, `${info.os} ${info.arch}`],
                  [t.authentication, info.authentication.required ? t.required : t.notRequired],
                ]}
              />
            </Fact>
          )}
        </div>

        <section className="mt-7">
          <h2>{t.gateways}</h2>
          <p className="mt-0.5 mb-3 text-12 text-muted">{t.gatewaysText(namespaceName)}</p>
          {gateways.isPending && propagation.isPending && (
            <Waiting>
              <SkeletonRows count={3} />
            </Waiting>
          )}
          {lines.length > 0 && <GatewayTable lines={lines} />}
          {lines.length === 0 && !gateways.isPending && (
            <p className="text-13 text-muted">
              {gateways.isError ? t.noGatewaysWhy(messageOf(gateways.error)) : t.noGateways}
            </p>
          )}
        </section>

        {ready.data !== undefined && (
          <section className="mt-7">
            <h2 className="mb-3">{t.behindThem}</h2>
            <ul className="grid grid-cols-2 gap-4 max-lg:grid-cols-1">
              {(['flags', 'auth'] as const).map((part) => (
                <PartRow key={part} title={t.parts[part]} part={ready.data.parts[part]} />
              ))}
            </ul>
          </section>
        )}
        <p className="mt-5 text-12 text-muted">
          {ready.dataUpdatedAt > 0 && t.lastLook(format.timeOfDay(ready.dataUpdatedAt))}
        </p>
        <Terminal className="mt-8" command={svc(undefined, 'status')} />
      </Page>
    </>
  )
}
