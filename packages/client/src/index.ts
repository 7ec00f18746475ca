export { SvcError } from './api/error.ts'
export { connect } from './node/connect.ts'
export type * from './types.ts'
