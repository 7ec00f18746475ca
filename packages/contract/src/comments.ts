import type { DescEnum, DescField, DescFile, DescMessage } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'

/** What the source says in front of a declaration, by the declaration's descriptor. */
export type Comments = ReadonlyMap<object, string>

/** Numbers of fields in descriptor.proto: a location's path alternates them with indexes. */
const inFile = { message: 4, enum: 5, service: 6 } as const
const inMessage = { field: 2, message: 3, enum: 4 } as const
const inEnum = { value: 2 } as const
const inService = { method: 2 } as const

type Path = readonly number[]

export function readComments(files: Iterable<DescFile>): Comments {
  const comments = new Map<object, string>()
  for (const file of files) {
    const found = new Map(
      file.proto.sourceCodeInfo?.location.map(({ path, leadingComments }) => [
        path.join(),
        clean(leadingComments),
      ]),
    )
    for (const [declaration, path] of declarationsOf(file)) {
      const comment = found.get(path.join())
      if (comment) comments.set(declaration, comment)
    }
  }
  return comments
}

function* declarationsOf(file: DescFile): Iterable<[object, Path]> {
  for (const [index, service] of file.services.entries()) {
    yield [service, [inFile.service, index]]
    for (const [position, method] of service.methods.entries()) {
      yield [method, [inFile.service, index, inService.method, position]]
    }
  }
  for (const declaration of nestedTypes(file)) {
    if (declaration.kind === 'message') {
      yield [declaration, pathOf(declaration)]
      for (const field of declaration.fields) yield [field, pathOfField(field)]
    } else if (declaration.kind === 'enum') {
      yield [declaration, pathOf(declaration)]
      for (const [index, value] of declaration.values.entries()) {
        yield [value, [...pathOf(declaration), inEnum.value, index]]
      }
    }
  }
}

function pathOf(type: DescMessage | DescEnum): Path {
  const { parent, file } = type
  if (type.kind === 'message') {
    return parent === undefined
      ? [inFile.message, file.proto.messageType.indexOf(type.proto)]
      : [...pathOf(parent), inMessage.message, parent.proto.nestedType.indexOf(type.proto)]
  }
  return parent === undefined
    ? [inFile.enum, file.proto.enumType.indexOf(type.proto)]
    : [...pathOf(parent), inMessage.enum, parent.proto.enumType.indexOf(type.proto)]
}

function pathOfField({ parent, proto }: DescField): Path {
  return [...pathOf(parent), inMessage.field, parent.proto.field.indexOf(proto)]
}

/** One paragraph a line, without the space that follows `//`. */
function clean(comment: string): string {
  return comment
    .split(/\n\s*\n/)
    .map((paragraph) =>
      paragraph
        .trim()
        .split('\n')
        .map((line) => line.trim())
        .join(' '),
    )
    .join('\n\n')
}
