import { behave, fail } from '../listen'
import { startRelay } from './server'

// The relay as a process.
behave()
const port = Number(process.env.RELAY_PORT ?? 7447)
if (!Number.isInteger(port) || port < 1 || port > 65_535) fail('RELAY_PORT must be a port number, 1 to 65535.')
try {
  await startRelay(port)
} catch (error) {
  fail(
    (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      ? `RELAY_PORT ${port} is in use: stop the other program or set another port.`
      : `The relay cannot start: ${error instanceof Error ? error.message : String(error)}`,
  )
}
