import type { Flag } from '@svc/client/api'
import { Time } from '../../components/time.tsx'
import { tagsOf } from '../../data/queries.ts'
import { useText } from '../../text/text.ts'
import { FlagSwitch } from './flag-switch.tsx'

interface Props {
  readonly flags: readonly Flag[]
  readonly namespace: { readonly key: string; readonly name: string }
}

export function FlagTable({ flags, namespace }: Props) {
  const t = useText()
  const { columns } = t.flags
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="table-wrap" tabIndex={0} aria-label={t.flags.title}>
      <table className="stack-table has-switch">
        <thead>
          <tr>
            <th scope="col" className="tight">
              {columns.state}
            </th>
            <th scope="col">{columns.flag}</th>
            <th scope="col" className="hide-m">
              {columns.tags}
            </th>
            <th scope="col">{columns.changed}</th>
          </tr>
        </thead>
        <tbody>
          {flags.map((flag) => (
            <tr key={flag.key}>
              <td className="tight">
                <FlagSwitch flag={flag} namespace={namespace} />
              </td>
              <td>
                <span className="name">{flag.name}</span>
                <span className="sub mono">{flag.key}</span>
              </td>
              <td className="wide hide-m hide-s">
                <span className="row wrap gap-1">
                  {tagsOf(flag).map((tag) => (
                    <span key={tag} className="tag">
                      {tag}
                    </span>
                  ))}
                </span>
              </td>
              <td className="small muted">
                <Time at={flag.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
