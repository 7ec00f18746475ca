import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BoundMethod, loadContract } from './contract.ts'

/** The descriptor set of the protos, as the gateway reads it at start. */
export const descriptorSet = readFileSync(
  fileURLToPath(import.meta.resolve('@svc/proto/descriptors.binpb')),
)

export const contract = loadContract(descriptorSet)

/** A method by its name, and one of its URLs: the first, unless told otherwise. */
export function bound(name: string, position = 0): BoundMethod {
  const method = contract.methods.find((candidate) => candidate.name === name)
  const binding = method?.bindings[position]
  if (method === undefined || binding === undefined) throw new Error(`there is no ${name}`)
  return { method, binding }
}
