import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSetFilters } from '../../app/set-search.ts'
import { Pager } from '../../components/pager.tsx'
import { Table, TableHead, Th } from '../../components/table.tsx'
import { namespacesQuery } from '../../data/queries.ts'
import type { Token } from '../../data/token.ts'
import { makersQuery } from '../../data/tokens.ts'
import { useTexts } from '../../text/texts.ts'
import { TokenRow } from './row.tsx'
import type { TokensSearch } from './search.ts'
import { tokensTexts } from './texts.ts'

const pageSize = 25

interface Props {
  readonly tokens: readonly Token[]
  readonly search: TokensSearch
  readonly now: number
  readonly offlineReason: string | undefined
  readonly onRotate: (token: Token) => void
  readonly onRevoke: (token: Token) => void
}

/** A page of tokens. */
export function TokenList({ tokens, search, now, offlineReason, onRotate, onRevoke }: Props) {
  const t = useTexts(tokensTexts)
  const setFilters = useSetFilters<TokensSearch>()
  const { data: namespaces = [] } = useQuery(namespacesQuery)
  // Who may not read the log sees the tokens all the same.
  const { data: makers } = useQuery(makersQuery)
  const { sort = 'name', page = 1 } = search
  const offset = Math.min(page - 1, Math.floor((tokens.length - 1) / pageSize)) * pageSize
  return (
    <>
      <Table label={t.title}>
        <TableHead>
          <Th
            sort={sort === 'name' ? 'ascending' : sort === '-name' ? 'descending' : 'none'}
            onSort={() => setFilters({ sort: sort === 'name' ? '-name' : undefined })}
          >
            {t.token}
          </Th>
          <Th className="max-xl:hidden">{t.idEnds}</Th>
          <Th>{t.worksIn}</Th>
          <Th
            sort={sort === 'expiresAt' ? 'ascending' : 'none'}
            onSort={() => setFilters({ sort: 'expiresAt' })}
          >
            {t.expires}
          </Th>
          <Th
            sort={sort === '-usedAt' ? 'descending' : 'none'}
            onSort={() => setFilters({ sort: '-usedAt' })}
          >
            {t.used}
          </Th>
          <Th
            className="max-lg:hidden"
            sort={
              sort === 'createdAt' ? 'ascending' : sort === '-createdAt' ? 'descending' : 'none'
            }
            onSort={() => setFilters({ sort: sort === '-createdAt' ? 'createdAt' : '-createdAt' })}
          >
            {t.made}
          </Th>
          <Th isTight>
            <span className="sr-only">{t.more}</span>
          </Th>
        </TableHead>
        <tbody className="narrow:block">
          {tokens.slice(offset, offset + pageSize).map((token) => (
            <TokenRow
              key={token.id}
              token={token}
              namespaces={namespaces}
              maker={makers?.get(token.id)}
              now={now}
              offlineReason={offlineReason}
              onRotate={() => onRotate(token)}
              onRevoke={() => onRevoke(token)}
            />
          ))}
        </tbody>
      </Table>
      <Pager
        offset={offset}
        size={pageSize}
        total={tokens.length}
        link={(page, className, children) => (
          <Link
            from="/tokens"
            to="."
            className={className}
            search={({ page: _, ...rest }) => ({ ...rest, ...(page > 1 && { page }) })}
          >
            {children}
          </Link>
        )}
      />
    </>
  )
}
