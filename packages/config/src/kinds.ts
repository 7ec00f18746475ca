export { strictObject as section } from 'zod'
export { namedSections, textLists, textMap } from './kinds/maps.ts'
export { origin, outboundUrl } from './kinds/network.ts'
export { secretText } from './kinds/secrets.ts'
export {
  bool,
  duration,
  instant,
  line,
  listOf,
  oneOf,
  optional,
  path,
  pattern,
  text,
  whole,
} from './kinds/values.ts'
