/** The row of a statement that always gives one, such as an `INSERT … RETURNING`. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the statement gave no row')
  return row
}
