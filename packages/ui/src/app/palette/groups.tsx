import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Activity,
  ArrowLeftRight,
  Blend,
  CircleHelp,
  Copy,
  FileDown,
  FileUp,
  Flag as FlagIcon,
  Footprints,
  History,
  KeyRound,
  MonitorSmartphone,
  Palette as PaletteIcon,
  Plus,
  Rows3,
  ScrollText,
  Search,
  SlidersHorizontal,
  SquareTerminal,
} from 'lucide-react'
import { useCopyToast } from '../../components/copy-key.tsx'
import { Dial } from '../../components/dial.tsx'
import { Tile } from '../../components/tile.tsx'
import { setPreferences } from '../../data/preferences.ts'
import { namespacesQuery } from '../../data/queries.ts'
import { curlOf } from '../../data/snippets.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { openLayer } from '../actions.ts'
import { useShownNamespace } from '../namespace.ts'
import { useNamespaceChoice } from '../namespace-switcher.tsx'
import { appTexts } from '../texts.ts'
import { filterGroups, type PaletteGroup, type PaletteItem } from './items.ts'
import { useSearchEverywhere } from './search.ts'
import { paletteTexts } from './texts.ts'

/** What the palette offers for a text. One that begins with `>` asks for actions alone. */
export function useGroups(typed: string): readonly PaletteGroup[] {
  const t = useTexts(paletteTexts)
  const a = useTexts(appTexts)
  const { share } = useFormat()
  const navigate = useNavigate()
  const chooseNamespace = useNamespaceChoice()
  const copyToast = useCopyToast()
  const namespace = useShownNamespace()
  const { data: all = [] } = useQuery(namespacesQuery)
  const isActions = typed.startsWith('>')
  const text = (isActions ? typed.slice(1) : typed).trim()
  const found = useSearchEverywhere(isActions ? '' : text, namespace, all)
  const namespaceKey = namespace?.key ?? 'default'
  const go = (to: string) => () => void navigate({ to })
  const within = (page: string) => go(`/ns/${encodeURIComponent(namespaceKey)}/${page}`)

  const toConsole = (namespaceKey: string, flag: string) => () =>
    void navigate({ to: '/ns/$namespaceKey/console', params: { namespaceKey }, search: { flag } })
  const toFlag = (namespaceKey: string, flagKey: string) => () =>
    void navigate({ to: '/ns/$namespaceKey/flags/$flagKey', params: { namespaceKey, flagKey } })
  const stateOf = ({ type, enabled, summary }: (typeof found.flags)[number]) => {
    if (type === 'VARIANT_FLAG_TYPE') return enabled ? t.enabled : t.disabled
    const { onShare } = summary ?? {}
    const word =
      onShare === undefined
        ? ''
        : onShare > 0 && onShare < 100
          ? share(onShare)
          : onShare > 0
            ? t.on
            : t.off
    return (
      <span className="flex items-center gap-1.5">
        <Dial share={onShare} />
        {word}
      </span>
    )
  }
  const flagItem = (
    flag: (typeof found.flags)[number],
    label = flag.name || flag.key,
  ): PaletteItem => ({
    id: `flag ${flag.namespaceKey} ${flag.key}`,
    text: label,
    detail: flag.key,
    icon: FlagIcon,
    end: stateOf(flag),
    run: toFlag(flag.namespaceKey, flag.key),
    runInConsole: toConsole(flag.namespaceKey, flag.key),
  })

  const pages: PaletteGroup = {
    title: t.goTo,
    items: [
      { id: 'flags', text: a.pages.flags, icon: FlagIcon, keys: 'g f', run: within('flags') },
      { id: 'segments', text: a.pages.segments, icon: Blend, keys: 'g s', run: within('segments') },
      {
        id: 'console',
        text: a.pages.console,
        icon: SquareTerminal,
        keys: 'g c',
        run: within('console'),
      },
      { id: 'changes', text: a.pages.changes, icon: History, keys: 'g h', run: within('changes') },
      { id: 'audit', text: a.pages.audit, icon: ScrollText, keys: 'g a', run: go('/audit') },
      { id: 'status', text: a.pages.status, icon: Activity, keys: 'g u', run: go('/status') },
      { id: 'tokens', text: a.pages.tokens, icon: KeyRound, keys: 'g t', run: go('/tokens') },
      { id: 'sessions', text: a.pages.sessions, icon: MonitorSmartphone, run: go('/sessions') },
      { id: 'compare', text: a.pages.compare, icon: ArrowLeftRight, run: go('/compare') },
      { id: 'import', text: a.pages.import, icon: FileUp, run: go('/import') },
      { id: 'export', text: a.pages.export, icon: FileDown, run: go('/export') },
      { id: 'settings', text: a.pages.settings, icon: SlidersHorizontal, run: go('/settings') },
      { id: 'welcome', text: a.pages.welcome, icon: Footprints, run: go('/welcome') },
    ],
  }
  const namespaces: PaletteGroup = {
    title: t.namespaces,
    items: all
      .filter(({ key }) => key !== namespace?.key)
      .map((one) => ({
        id: `namespace ${one.key}`,
        text: one.name || one.key,
        detail: one.key,
        icon: Search,
        end: <Tile namespace={one} />,
        run: () => chooseNamespace(one.key),
      })),
  }
  const newFlag = (name?: string) => () =>
    void navigate({
      to: '/ns/$namespaceKey/flags',
      params: { namespaceKey },
      search: { new: 'boolean', ...(name !== undefined && { name }) },
    })
  const actions: PaletteGroup = {
    title: t.actions,
    items: [
      { id: 'new-flag', text: t.createFlag, icon: Plus, keys: 'c', run: newFlag() },
      {
        id: 'new-segment',
        text: t.createSegment,
        icon: Plus,
        run: () =>
          void navigate({
            to: '/ns/$namespaceKey/segments',
            params: { namespaceKey },
            search: { new: true },
          }),
      },
      {
        id: 'new-namespace',
        text: t.newNamespace,
        icon: Plus,
        run: () => openLayer('namespace'),
      },
      ...(['system', 'light', 'dark'] as const).map((theme) => ({
        id: `theme ${theme}`,
        text: t.theme(a.themes[theme]),
        icon: PaletteIcon,
        run: () => setPreferences({ theme }),
      })),
      ...(['comfortable', 'compact'] as const).map((density) => ({
        id: `density ${density}`,
        text: t.density(a.densities[density]),
        icon: Rows3,
        run: () => setPreferences({ density }),
      })),
      {
        id: 'shortcuts',
        text: t.shortcuts,
        icon: CircleHelp,
        keys: '?',
        run: () => openLayer('shortcuts'),
      },
    ],
  }
  if (isActions) return filterGroups([actions], text)
  if (text === '') return [pages, namespaces].filter(({ items }) => items.length > 0)

  const [first] = found.flags
  const onFirst: readonly PaletteItem[] =
    first === undefined
      ? []
      : [
          {
            id: 'first ask',
            text: t.ask,
            icon: SquareTerminal,
            run: toConsole(first.namespaceKey, first.key),
          },
          {
            id: 'first history',
            text: t.openHistory,
            icon: History,
            run: () =>
              void navigate({
                to: '/ns/$namespaceKey/flags/$flagKey/history',
                params: { namespaceKey: first.namespaceKey, flagKey: first.key },
              }),
          },
          {
            id: 'first curl',
            text: t.copyCurl,
            icon: Copy,
            run: () => copyToast(curlOf(first.namespaceKey, first), t.copied),
          },
        ]
  const groups: readonly PaletteGroup[] = [
    { title: t.flags, items: found.flags.map((flag) => flagItem(flag)) },
    {
      title: t.segments,
      items: found.segments.map(({ key, name }) => ({
        id: `segment ${key}`,
        text: name || key,
        detail: key,
        icon: Blend,
        run: () =>
          void navigate({
            to: '/ns/$namespaceKey/segments/$segmentKey',
            params: { namespaceKey, segmentKey: key },
          }),
      })),
    },
    {
      title: t.elsewhere,
      items: found.elsewhere.map((flag) =>
        flagItem(flag, t.flagIn(flag.name || flag.key, flag.namespaceName)),
      ),
    },
    { title: first === undefined ? '' : t.actionsOn(first.name || first.key), items: onFirst },
    ...filterGroups([pages, namespaces, actions], text),
    {
      title: '',
      items: [
        {
          id: 'search-all',
          text: t.searchAll(text),
          icon: Search,
          run: () =>
            void navigate({
              to: '/ns/$namespaceKey/flags',
              params: { namespaceKey },
              search: { q: text },
            }),
        },
        { id: 'create-named', text: t.createNamed(text), icon: Plus, run: newFlag(text) },
      ],
    },
  ]
  return groups.filter(({ items }) => items.length > 0)
}
