import { keptNostrKey, keyOf } from '../shared/nostr-key'
import { createGateway } from './app'
import { serve, type Service } from './service'
import type { GatewaySettings } from './settings'
import { Store } from './store'
import { callVasp } from './vasp-client'

export interface RunningGateway {
  readonly app: ReturnType<typeof createGateway>
  readonly store: Store
  readonly service: Service
}

/** Starts the simulator: its store, its connection to the relay, and its pages. */
export function startGateway(
  settings: GatewaySettings,
  { nowSeconds, log }: { readonly nowSeconds: () => number; readonly log: (line: string) => void },
): RunningGateway {
  const store = new Store(settings.GATEWAY_DATA_DIR)
  const service = serve(
    {
      store,
      nowSeconds,
      buffer: settings.BUDGET_BUFFER_MULTIPLIER,
      supported: settings.VASP_SUPPORTED_COMMANDS,
      call: async (connection, { method, path, body }) => {
        const url = `${settings.VASP_UMA_API_BASE_URL}${path}`
        const exchange = await callVasp(method, url, connection.longToken, body)
        store.record(connection.id, exchange)
        return exchange
      },
    },
    settings.NOSTR_PRIVKEY === undefined ? keptNostrKey(settings.GATEWAY_DATA_DIR) : keyOf(settings.NOSTR_PRIVKEY),
    settings.RELAY,
    log,
  )
  const app = createGateway({
    settings,
    store,
    nowSeconds,
    publicKey: service.publicKey,
    relayConnected: () => service.relayConnected(),
  })
  return { app, store, service }
}
