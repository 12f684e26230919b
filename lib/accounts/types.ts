import type { BoundedLog } from '../platform/bounded-log'
import type { Clock } from '../platform/clock'
import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import type { VaspError } from '../platform/errors'
import type { Ids } from '../platform/ids'
import type { Log } from '../platform/log'
import type { Passwords } from './sign-in/passwords'
import type { SignInThrottle } from './sign-in/sign-in-throttle'

/** What signing in depends on. */
export interface AccountPorts {
  readonly settings: Settings
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly boundedLog: BoundedLog
  readonly passwords: Passwords
  readonly signInThrottle: SignInThrottle
  readonly describeFailure: (error: unknown) => VaspError
}
