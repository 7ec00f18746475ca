import type { Namespace } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useShownNamespace } from '../../app/namespace.ts'
import { PageError } from '../../app/page-error.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Code } from '../../components/code.tsx'
import { CopyButton } from '../../components/copy-key.tsx'
import { download } from '../../components/download.ts'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Segmented } from '../../components/tabs.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { Tile } from '../../components/tile.tsx'
import { namespacesQuery } from '../../data/queries.ts'
import { svc } from '../../data/terminal.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { exportQuery } from './export-query.ts'
import { FilesCrumbs, FilesHead } from './head.tsx'
import { formats } from './search.ts'
import { sizeText } from './size.ts'
import { filesTexts } from './texts.ts'

/** Lines of the file that are shown. */
const maxLines = 400

/** Namespaces as a file. */
export function ExportPage() {
  const t = useTexts(filesTexts)
  const { number } = useFormat()
  const navigate = useNavigate({ from: '/export' })
  const search = useSearch({ from: '/inside/export' })
  const shown = useShownNamespace()
  const { data: namespaces } = useQuery(namespacesQuery)
  const format = search.format ?? 'yaml'
  const asked = new Set(search.ns ?? (shown === undefined ? [] : [shown.key]))
  // In the order of the list, as the command has it.
  const keys = namespaces?.map(({ key }) => key).filter((key) => asked.has(key)) ?? []
  const file = useQuery({ ...exportQuery(keys, format), enabled: keys.length > 0 })
  const text = keys.length > 0 ? file.data : undefined
  const change = (next: object) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  const select = (key: string, isChosen: boolean) => {
    const others = keys.filter((one) => one !== key)
    change({ ns: isChosen ? [...others, key] : others })
  }
  const name = `${keys.length === 1 ? keys[0] : 'flags'}.${format === 'yaml' ? 'yml' : 'json'}`
  const size = text === undefined ? '' : sizeText(new Blob([text]).size, number)
  return (
    <>
      <FilesCrumbs />
      <Page>
        <FilesHead page="export" />
        <div className="grid grid-cols-[minmax(0,20rem)_minmax(0,1fr)] items-start gap-8 max-lg:grid-cols-1">
          <div className="grid min-w-0 gap-5">
            <Card isFlush aria-label={t.namespaces}>
              <ul className="max-h-96 divide-y divide-line overflow-y-auto">
                {namespaces?.map((namespace) => (
                  <NamespaceChoice
                    key={namespace.key}
                    namespace={namespace}
                    isChosen={keys.includes(namespace.key)}
                    onChange={(isChosen) => select(namespace.key, isChosen)}
                  />
                ))}
              </ul>
            </Card>
            <div className="grid justify-items-start gap-1.5">
              <p className="text-13 font-medium">{t.form}</p>
              <Segmented
                label={t.form}
                value={format}
                choices={formats.map((one) => [one, one.toUpperCase()] as const)}
                onChange={(one) => change({ format: one === 'yaml' ? undefined : one })}
              />
            </div>
            <div className="flex gap-2">
              <Button
                look="primary"
                className="flex-1"
                disabledReason={
                  keys.length === 0 ? t.chooseSome : text === undefined ? t.reading : undefined
                }
                onClick={() => download(name, text ?? '')}
              >
                <Icon of={Download} />
                {t.download(size)}
              </Button>
              {text !== undefined && <CopyButton text={text} />}
            </div>
            {keys.length > 0 && (
              <Terminal
                command={svc(undefined, 'export', '--namespaces', keys.join(','), '-o', name)}
              />
            )}
          </div>
          <div className="min-w-0">
            {keys.length === 0 && <p className="text-muted">{t.chooseSome}</p>}
            {keys.length > 0 && file.isError && (
              <PageError isPage={false} error={file.error} reset={() => void file.refetch()} />
            )}
            {keys.length > 0 && file.isPending && (
              <Waiting>
                <SkeletonRows />
              </Waiting>
            )}
            {text !== undefined && <Preview text={text} />}
          </div>
        </div>
      </Page>
    </>
  )
}

interface ChoiceProps {
  readonly namespace: Namespace
  readonly isChosen: boolean
  readonly onChange: (isChosen: boolean) => void
}

function NamespaceChoice({ namespace, isChosen, onChange }: ChoiceProps) {
  const t = useTexts(filesTexts)
  const { number } = useFormat()
  const { key, name, flagCount = 0, segmentCount = 0 } = namespace
  return (
    <li className="px-4 py-2.5">
      <Checkbox isChecked={isChosen} onChange={onChange}>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <Tile namespace={namespace} />
          <span className="wrap-anywhere">{name || key}</span>
          <span className="text-12 text-muted">
            {t.holds(flagCount, number(flagCount), segmentCount, number(segmentCount))}
          </span>
        </span>
      </Checkbox>
    </li>
  )
}

function Preview({ text }: { readonly text: string }) {
  const t = useTexts(filesTexts)
  const { number } = useFormat()
  const lines = text.trimEnd().split('\n')
  const more = lines.length - maxLines
  return (
    <>
      <Code
        text={lines.slice(0, maxLines).join('\n')}
        label={t.preview}
        hasCopy={false}
        className="[&_pre]:max-h-[70dvh]"
      />
      {more > 0 && <p className="mt-2 text-12 text-muted">{t.cut(number(more))}</p>}
    </>
  )
}
