import type { Settings } from '@svc/config'
import type { Running } from '@svc/runtime'
import type { Credentials, Resources } from './credentials.ts'

/** What handlers, methods and jobs work with. One in a process; see `auth.ts`. */
export interface ServiceContext<S extends Settings = Settings>
  extends Resources<S>,
    Omit<Credentials, keyof Running> {}
