/** @returns the values of a form that were edited */
export function editedOf<T extends object>(
  values: T,
  dirtyFields: { readonly [Name in keyof T]?: boolean },
): Partial<T> {
  const edited: Partial<T> = {}
  for (const name of keysOf(values)) if (dirtyFields[name]) edited[name] = values[name]
  return edited
}

/**
 * The members of an edit that were changed by others since it began, to something else.
 *
 * @param opened what the edit began from
 * @param now as the service has it
 */
export function changedMeanwhile<T extends object>(
  opened: T,
  edited: Partial<T>,
  now: T,
): readonly (keyof T)[] {
  return keysOf(opened).filter(
    (name) => Object.hasOwn(edited, name) && ![opened[name], edited[name]].includes(now[name]),
  )
}

function keysOf<T extends object>(value: T): readonly (keyof T)[] {
  return Object.keys(value) as (keyof T)[]
}
