import type { DescFile } from '@bufbuild/protobuf'

/** What the source says in front of a declaration, by the declaration's descriptor. */
export type Comments = ReadonlyMap<object, string>

/**
 * The lists of a descriptor by their numbers in descriptor.proto: the path of a location alternates those
 * with indexes. Each by its name in the descriptor and in descriptor.proto, which alone has map entries.
 */
const lists: Readonly<Record<string, Readonly<Record<number, readonly [string, string]>>>> = {
  file: { 4: ['messages', 'messageType'], 5: ['enums', 'enumType'], 6: ['services', 'service'] },
  message: {
    2: ['fields', 'field'],
    3: ['nestedMessages', 'nestedType'],
    4: ['nestedEnums', 'enumType'],
  },
  enum: { 2: ['values', 'value'] },
  service: { 2: ['methods', 'method'] },
}

interface Declaration {
  readonly kind: string
  readonly proto: object
}

export function readComments(files: Iterable<DescFile>): Comments {
  const comments = new Map<object, string>()
  for (const file of files) {
    for (const { path, leadingComments } of file.proto.sourceCodeInfo?.location ?? []) {
      const declaration = leadingComments === '' ? undefined : find(file, path)
      if (declaration !== undefined) comments.set(declaration, clean(leadingComments))
    }
  }
  return comments
}

/** @returns nothing for what has no descriptor, such as an option */
function find(
  declaration: Declaration | undefined,
  [number, index = 0, ...rest]: readonly number[],
): Declaration | undefined {
  if (declaration === undefined || number === undefined) return declaration
  const [list, protos] = lists[declaration.kind]?.[number] ?? []
  if (list === undefined || protos === undefined) return undefined
  const wanted = Reflect.get(declaration.proto, protos)[index]
  const members: readonly Declaration[] = Reflect.get(declaration, list)
  return find(
    members.find(({ proto }) => proto === wanted),
    rest,
  )
}

/** One paragraph a line, without the space that follows `//`. */
function clean(comment: string): string {
  const paragraphs = comment.split(/\n\s*\n/).map((paragraph) => paragraph.trim().split('\n'))
  return paragraphs.map((lines) => lines.map((line) => line.trim()).join(' ')).join('\n\n')
}
