import { type BoundOperation, loadContract } from './contract.ts'

export const contract = loadContract()

/** An operation by its name, and one of its URLs: the first by default. */
export function bound(name: string, position = 0): BoundOperation {
  const operation = contract.operations.find((candidate) => candidate.name === name)
  const binding = operation?.bindings[position]
  if (operation === undefined || binding === undefined) throw new Error(`there is no ${name}`)
  return { operation, binding }
}
