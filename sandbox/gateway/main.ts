import { behave, fail, listenLocally } from '../listen'
import { loadGatewaySettings } from './settings'
import { startGateway } from './start'

// The gateway stand-in as a process.
behave()
try {
  const settings = loadGatewaySettings(process.env)
  const nowSeconds = (): number => Math.floor(Date.now() / 1000)
  const { app } = startGateway(settings, { nowSeconds, log: console.error })
  listenLocally((request) => app.fetch(request), settings.GATEWAY_PORT, 'GATEWAY_PORT')
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
