import { WebSocket } from 'ws'

/**
 * Node 20 has no WebSocket of its own. A relay that takes the connection and then says nothing is given up on before it
 * has opened, and `ws` reports that as an error event; without a listener such an event ends the process.
 */
export class PatientWebSocket extends WebSocket {
  constructor(url: string | URL) {
    super(url)
    this.on('error', () => undefined)
  }
}
