import { listen, run } from '../shared/listen'
import { loadAllGatewaySettings } from './settings'
import { startGateway } from './start'

await run(async () => {
  const nowSeconds = (): number => Math.floor(Date.now() / 1000)
  for (const settings of loadAllGatewaySettings(process.env)) {
    const { app } = startGateway(settings, { nowSeconds, log: console.error })
    await listen((request) => app.fetch(request), settings.GATEWAY_PORT, 'GATEWAY_PORT')
  }
})
