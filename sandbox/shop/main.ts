import { listen, run } from '../shared/listen'
import { loadShopSettings } from './settings'
import { startShop } from './shop'

await run(() => {
  const settings = loadShopSettings(process.env)
  listen(startShop(settings).fetch, settings.APP_PORT, 'APP_PORT')
})
