/** The path of a member: `name`, `path.name`, or `path["any name"]` where it is no plain word. */
export function join(path: string, name: string): string {
  if (!/^[A-Za-z_$][-\w$]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
