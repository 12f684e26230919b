import { handleSignals, fail, listen } from '../shared/listen'
import { loadShopSettings } from './settings'
import { startShop } from './shop'

handleSignals()
try {
  const settings = loadShopSettings(process.env)
  listen(startShop(settings).fetch, settings.APP_PORT, 'APP_PORT')
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
