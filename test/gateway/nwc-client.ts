import type { NWCClient } from '@getalby/sdk/nwc'
import { vi } from 'vitest'
import { WebSocket } from 'ws'

/** The client library that NWC apps use, unchanged. It logs every refusal to the console, which is silent from now on. */
export async function loadNwcClient(): Promise<typeof NWCClient> {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  // The library takes WebSocket from the global scope when it is loaded; Node 20 has none.
  const scope = globalThis as { WebSocket?: unknown }
  scope.WebSocket ??= WebSocket
  return (await import('@getalby/sdk/nwc')).NWCClient
}
