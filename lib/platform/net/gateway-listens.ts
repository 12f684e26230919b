import { connect } from 'node:net'

/** A refused connection fails at once; only a silent address takes this long. */
const PATIENCE_MS = 1_000

/**
 * Whether a program listens at the gateway's address, so that no page of a sandbox links to an address without a server: the
 * demo may run without its simulator. Opens a connection and sends nothing.
 */
export function gatewayListens(gatewayRootUrl: URL): Promise<boolean> {
  const { hostname, port, protocol } = gatewayRootUrl
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  })
  return new Promise((resolve) => {
    const done = (listens: boolean): void => {
      socket.destroy()
      resolve(listens)
    }
    socket.setTimeout(PATIENCE_MS, () => done(false))
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
}
