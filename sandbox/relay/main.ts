import { z } from 'zod'
import { port, readEnvironment } from '../shared/environment'
import { run } from '../shared/listen'
import { EventStore } from './event-store'
import { Hub } from './hub'
import { KeptEvents } from './kept-events'
import { startRelay } from './server'

const Environment = z.object({ RELAY_PORT: port.default(7447) })

await run(async () => {
  const { RELAY_PORT } = readEnvironment(Environment, process.env, 'sandbox/relay/README.md')
  const nowSeconds = (): number => Math.floor(Date.now() / 1000)
  const kept = new KeptEvents(process.env.RELAY_DATA_DIR || '.data/relay')
  await startRelay(RELAY_PORT, new Hub(nowSeconds, new EventStore({}, kept).load(nowSeconds())))
})
