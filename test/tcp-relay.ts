import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands between a server and its database, and can be cut: then nothing answers there. */
export async function startRelay(databaseUrl: string): Promise<{ url: string; cut(): Promise<void> }> {
  const url = new URL(databaseUrl)
  const [port, host] = [Number(url.port), url.hostname]
  const sockets = new Set<Socket>()
  const relay = createServer((from) => {
    const to = connect(port, host)
    for (const socket of [from, to]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    from.pipe(to).pipe(from)
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  url.hostname = '127.0.0.1'
  url.port = String((relay.address() as AddressInfo).port)
  return {
    url: url.href,
    async cut() {
      const closed = once(relay, 'close')
      relay.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
