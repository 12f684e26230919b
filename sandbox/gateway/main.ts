import { handleSignals, fail, listen } from '../shared/listen'
import { loadAllGatewaySettings } from './settings'
import { startGateway } from './start'

handleSignals()
try {
  const nowSeconds = (): number => Math.floor(Date.now() / 1000)
  for (const settings of loadAllGatewaySettings(process.env)) {
    const { app } = startGateway(settings, { nowSeconds, log: console.error })
    listen((request) => app.fetch(request), settings.GATEWAY_PORT, 'GATEWAY_PORT')
  }
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
