import { WebSocket } from 'ws'

/**
 * Node 20 has no WebSocket. When a relay accepts the connection and sends nothing, the attempt is closed before it has
 * opened, and `ws` reports that as an error event. Without a listener, such an event ends the process.
 */
export class PatientWebSocket extends WebSocket {
  constructor(url: string | URL) {
    super(url)
    this.on('error', () => undefined)
  }
}
