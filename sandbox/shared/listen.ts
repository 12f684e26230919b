import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { LOOPBACKS } from './ports'

type Fetch = (request: Request) => Response | Promise<Response>

/**
 * The addresses that the simulator, the relay and the shop listen on: the two loopback addresses only. In a container,
 * whose network decides what can reach it, `SIMULATOR_HOST` replaces them.
 */
export const LISTEN_HOSTS = process.env.SIMULATOR_HOST ? [process.env.SIMULATOR_HOST] : LOOPBACKS

/** Serves on `LISTEN_HOSTS`. If that fails, ends the process with one line. */
export function listen(fetch: Fetch, port: number, portName: string): void {
  const listener = getRequestListener(fetch)
  for (const host of LISTEN_HOSTS) {
    const server = createServer((request, response) => void listener(request, response))
    server.on('error', (error: NodeJS.ErrnoException) => {
      // A machine without IPv6 still has the other loopback address.
      if (host === '::1' && (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT')) return
      fail(
        error.code === 'EADDRINUSE'
          ? `${portName} ${port} is in use on ${host}: stop the other program or set another port.`
          : error.message,
      )
    })
    server.listen(port, host)
  }
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
    fail(error instanceof Error ? error.message : String(error))
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
