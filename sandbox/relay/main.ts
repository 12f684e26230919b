import { LISTEN_HOSTS, run } from '../shared/listen'
import { EventStore } from './event-store'
import { Hub } from './hub'
import { KeptEvents } from './kept-events'
import { startRelay } from './server'

await run(async () => {
  const port = Number(process.env.RELAY_PORT ?? 7447)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error('RELAY_PORT must be a port number, 1 to 65535.')
  const nowSeconds = (): number => Math.floor(Date.now() / 1000)
  const kept = new KeptEvents(process.env.RELAY_DATA_DIR || '.data/relay')
  try {
    await startRelay(port, new Hub(nowSeconds, new EventStore({}, kept).load(nowSeconds())), LISTEN_HOSTS)
  } catch (error) {
    const inUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(
      inUse
        ? `RELAY_PORT ${port} is in use: stop the other program or set another port.`
        : `The relay cannot start: ${message}`,
      { cause: error },
    )
  }
})
