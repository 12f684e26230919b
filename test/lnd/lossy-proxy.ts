import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'

/** A REST server of LND whose answers can be lost on their way. */
export interface LossyProxy {
  readonly url: string
  /** How many of the next answers to a payment are lost. The payment itself goes on. */
  lostAnswers: number
  /** Ends every open stream, as when a connection breaks. */
  breakStreams(): void
  close(): Promise<void>
}

const PAY = '/v2/router/send'

/** In front of an LND, with its certificate. */
export async function startLossyProxy(target: {
  readonly url: string
  readonly certFile: string
}): Promise<LossyProxy> {
  const cert = readFileSync(target.certFile)
  const key = readFileSync(target.certFile.replace(/cert$/, 'key'))
  const open = new Set<{ destroy(): void }>()
  const server = createServer({ cert, key }, (incoming, outgoing) => {
    const isLost = incoming.url === PAY && proxy.lostAnswers > 0
    if (isLost) proxy.lostAnswers -= 1
    const { method, headers } = incoming
    const call = request(new URL(incoming.url ?? '/', target.url), { method, headers, ca: cert, agent: false })
    call.on('error', () => incoming.socket.destroy())
    call.on('response', (response) => {
      // The payment has begun, so it goes on without a reader.
      if (isLost) {
        incoming.socket.destroy()
        response.resume()
        return
      }
      outgoing.writeHead(response.statusCode ?? 500, response.headers)
      response.on('error', () => incoming.socket.destroy())
      response.pipe(outgoing)
    })
    outgoing.on('close', () => {
      open.delete(incoming.socket)
      if (!isLost) call.destroy()
    })
    open.add(incoming.socket)
    incoming.pipe(call)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: LossyProxy = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lostAnswers: 0,
    breakStreams() {
      for (const socket of open) socket.destroy()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
