import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A proxy between a client and a server that tests can cut. */
export interface TcpProxy {
  /** The server's URL through the proxy. */
  readonly url: string
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>
  /** Accepts connections again, on the same port. */
  mend(): Promise<void>
  /** Sends new connections to another server. */
  aim(targetUrl: string): void
  /**
   * Ends the next connection on which the client sends this text: `before` the server sees it, or `after` it has
   * answered and before the client reads the answer.
   */
  cutAt(text: string, when: 'before' | 'after'): void
  stop(): Promise<void>
}

export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  let target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let trap: { text: string; when: 'before' | 'after' } | undefined

  function join(client: Socket): void {
    const server = connect(Number(target.port), target.hostname)
    const end = (): void => {
      client.destroy()
      server.destroy()
    }
    let answering = true
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', end).on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk) => {
      const sprung = trap !== undefined && chunk.includes(trap.text) ? trap.when : undefined
      if (sprung !== undefined) trap = undefined
      if (sprung === 'before') return end()
      if (sprung === 'after') answering = false
      server.write(chunk)
    })
    server.on('data', (chunk) => (answering ? client.write(chunk) : end()))
  }

  const listening = createServer(join)
  await listen(listening, 0)
  const { port } = listening.address() as AddressInfo
  const url = new URL(targetUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const cut = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    if (listening.listening) await new Promise((resolve) => listening.close(resolve))
  }
  return {
    url: url.href,
    cut,
    mend: () => listen(listening, port),
    aim: (next) => void (target = new URL(next)),
    cutAt: (text, when) => void (trap = { text, when }),
    stop: cut,
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
}
