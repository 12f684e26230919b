import type { Clock } from '../platform/clock'
import type { Database } from '../platform/db/database'
import { makeGuardedFetch } from '../platform/net/guarded-fetch'
import type { Resolve } from '../platform/net/public-lookup'
import type { EventRecorder } from '../events/recorder'
import type { Settings } from '../platform/config'
import type { Log } from '../platform/log'
import { makeCallbackWorker, type CallbackWorker } from './client/callback-worker'
import { openCertificates, type Certificates } from './keys/key-document'
import { loadUmaKeys, type UmaKeys } from './keys/keys'
import { withEvents, type UmaFetch } from './message-events'
import { makeRemoteKeys, type RemoteKeys } from './keys/remote-keys'

export { loadUmaKeys } from './keys/keys'

/** The parts that a process needs to exchange messages with other VASPs. */
export interface Uma {
  readonly keys: UmaKeys
  readonly certificates: Certificates
  /** Fetches every URL that another party chose. */
  readonly fetch: UmaFetch
  readonly remoteKeys: RemoteKeys
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
export async function openUma({ settings, db, clock, log, events, resolve }: Parts): Promise<Uma | undefined> {
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
