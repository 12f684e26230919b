import { startStack } from './stack'

/** One stack for all browser tests; each test brings its own browser context. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const stack = await startStack()
  process.env.E2E_VASP_ORIGIN = stack.vaspOrigin
  process.env.E2E_GATEWAY_ORIGIN = stack.gatewayOrigin
  process.env.E2E_SHOP_ORIGIN = stack.shopOrigin
  process.env.E2E_JWT_PUBLIC_KEY = stack.settings.JWT_PUBLIC_KEY
  process.env.E2E_JWT_PRIVATE_KEY = stack.settings.JWT_PRIVATE_KEY
  process.env.E2E_DATA_DIR = stack.settings.DATA_DIR
  return () => stack.stop()
}
