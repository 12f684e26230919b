import type { EventRecorder } from '../events/recorder'
import type { Clock } from '../platform/clock'
import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import type { Log } from '../platform/log'
import { makeGuardedFetch } from '../platform/net/guarded-fetch'
import type { Resolve } from '../platform/net/public-lookup'
import { makeCallbackWorker, type CallbackWorker } from './client/callbacks'
import { openCertificates } from './keys/key-document'
import { loadUmaKeys } from './keys/keys'
import { makeRemoteKeys } from './keys/remote-keys'
import { withEvents } from './message-events'
import type { Uma } from './types'

export { loadUmaKeys } from './keys/keys'

/** The parts of UMA, and the worker that the process starts and stops. */
export interface OpenUma extends Uma {
  readonly callbacks: CallbackWorker
}

interface Parts {
  readonly settings: Settings
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly events: Pick<EventRecorder, 'record'>
  /** For tests. */
  readonly resolve?: Resolve
}

/**
 * Undefined without keys: no messages are sent to other VASPs, and none from them are answered.
 * @throws SettingsError for keys that cannot be used.
 */
export async function openUma({ settings, db, clock, log, events, resolve }: Parts): Promise<OpenUma | undefined> {
  const keys = loadUmaKeys(settings)
  if (keys === undefined) return undefined
  const { umaLocalPeers: localPeers } = settings
  const fetch = withEvents(makeGuardedFetch({ localPeers, ...(resolve === undefined ? {} : { resolve }) }), events)
  return {
    keys,
    certificates: await openCertificates({ db, clock }, keys, settings.vaspDomain),
    fetch,
    remoteKeys: makeRemoteKeys({ settings, db, clock, fetch }),
    callbacks: makeCallbackWorker({ settings, db, clock, log, keys, fetch }),
  }
}
