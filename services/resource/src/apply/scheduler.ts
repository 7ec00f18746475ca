import { EventLoopScheduler } from '@svc/runtime'

/** Of all applies of this process: other calls come in between two slices. */
export const scheduler = new EventLoopScheduler()
