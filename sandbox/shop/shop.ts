import { createShop } from './app'
import { CallLog } from './call-log'
import { loadIdentity, registration } from './identity'
import { NwcClient } from './nwc'
import { OAuthClient } from './oauth'
import { RelayLinks } from './relay-links'
import type { ShopSettings } from './settings'
import { Store } from './store'
import { refreshAllDue } from './wallet-calls'

const EACH_MINUTE_MS = 60_000

export interface RunningShop {
  readonly fetch: (request: Request) => Response | Promise<Response>
  readonly stop: () => void
}

/** Starts the shop with its key, store and relay, without an HTTP listener. */
export function startShop(settings: ShopSettings): RunningShop {
  const nowSeconds = (): number => Math.floor(Date.now() / 1000)
  const identity = loadIdentity(settings.APP_DATA_DIR)
  const links = new RelayLinks(settings.RELAY, () => void register())
  const deps = {
    store: new Store(settings.APP_DATA_DIR),
    callLog: new CallLog(),
    oauth: new OAuthClient(settings, identity),
    nwc: new NwcClient(links, settings.APP_REPLY_TIMEOUT_MS),
    nowSeconds,
    ownDomain: settings.APP_EXAMPLE_DOMAIN,
    ownRelay: settings.RELAY,
    identity,
    relay: links.own,
    isRegistered: () => isRegistered,
  }
  let isRegistered = false
  /** A relay that restarts forgets the registration, so it is sent on each connect and at intervals. */
  async function register(): Promise<void> {
    try {
      await links.own.publish(registration(identity, settings, nowSeconds()))
      isRegistered = true
    } catch {
      // Sent again on the next connect.
    }
  }
  links.own.start()
  const timer = setInterval(() => {
    if (links.own.isUp) void register()
    void refreshAllDue(deps)
  }, EACH_MINUTE_MS)
  timer.unref()

  return {
    fetch: createShop(settings, deps).fetch,
    stop() {
      clearInterval(timer)
      links.stop()
    },
  }
}
