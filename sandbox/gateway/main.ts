import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createGateway } from './app'
import { loadGatewaySettings } from './settings'
import { Store } from './store'

// The gateway stand-in as a process. Both loopbacks, because `localhost` may mean either; never another address.
try {
  const settings = loadGatewaySettings(process.env)
  const gateway = createGateway(settings, {
    store: new Store(settings.GATEWAY_DATA_DIR),
    nowSeconds: () => Math.floor(Date.now() / 1000),
  })
  const listener = getRequestListener(gateway.fetch)
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer((request, response) => void listener(request, response))
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (host === '::1' && (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT')) return
      fail(
        error.code === 'EADDRINUSE'
          ? `GATEWAY_PORT ${settings.GATEWAY_PORT} is in use on ${host}: stop the other program or set another port.`
          : error.message,
      )
    })
    server.listen(settings.GATEWAY_PORT, host)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
