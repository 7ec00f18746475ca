export { strictObject as section } from 'zod'
export * from './kinds/network.ts'
export * from './kinds/values.ts'
