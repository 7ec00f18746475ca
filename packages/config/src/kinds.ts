export { strictObject as section } from 'zod'
export { outboundUrl, secretText } from './kinds/network.ts'
export {
  bool,
  duration,
  instant,
  line,
  listOf,
  namedSections,
  oneOf,
  optional,
  path,
  pattern,
  text,
  textLists,
  textMap,
} from './kinds/values.ts'
