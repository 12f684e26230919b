import { listen, run } from '../shared/listen'
import { loadShopSettings } from './settings'
import { startShop } from './shop'

await run(async () => {
  const settings = loadShopSettings(process.env)
  await listen(startShop(settings).fetch, settings.APP_PORT, 'APP_PORT')
})
