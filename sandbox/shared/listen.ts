import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { LOOPBACKS } from './ports'

type Fetch = (request: Request) => Response | Promise<Response>

/**
 * The addresses that the simulator, the relay and the shop listen on: the two loopback addresses only. In a container,
 * whose network decides what can reach it, `SIMULATOR_HOST` replaces them.
 */
const LISTEN_HOSTS = process.env.SIMULATOR_HOST ? [process.env.SIMULATOR_HOST] : LOOPBACKS

/** Serves on `LISTEN_HOSTS`. @throws as `listenOn`. */
export async function listen(fetch: Fetch, port: number, portName: string): Promise<void> {
  const listener = getRequestListener(fetch)
  await listenOn(() => createServer((request, response) => void listener(request, response)), port, portName)
}

/**
 * One server on each of `LISTEN_HOSTS`, with the same port. Port 0 selects a free one.
 * @throws Error with one line, such as that another program uses the port.
 */
export async function listenOn(makeServer: () => Server, port: number, portName: string): Promise<readonly Server[]> {
  const servers: Server[] = []
  for (const host of LISTEN_HOSTS) {
    const server = makeServer()
    server.listen((servers[0]?.address() as AddressInfo | undefined)?.port ?? port, host)
    try {
      await once(server, 'listening')
      servers.push(server)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      // A machine without IPv6 still has the other loopback address.
      if (host === '::1' && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) continue
      for (const each of servers) each.close()
      throw new Error(
        code === 'EADDRINUSE'
          ? `${portName} ${port} is in use on ${host}: stop the other program or set another port.`
          : message,
        { cause: error },
      )
    }
  }
  return servers
}

/**
 * Runs a program: ends it on a stop signal, with one line when its start fails, and keeps it running after an unhandled
 * rejection of a library.
 */
export async function run(start: () => void | Promise<void>): Promise<void> {
  process.on('unhandledRejection', (error) => console.error(error))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
  try {
    await start()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
}
