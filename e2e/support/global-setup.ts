import type { FullConfig } from 'playwright/test'
import { startStack } from '../../test/stack/stack'
import { STACKS, type SharedStack } from './shared-stack'

/**
 * One stack for each worker, so that no test sees the balances of another worker. Each test uses its own browser
 * context.
 */
export default async function globalSetup({ workers }: FullConfig): Promise<() => Promise<void>> {
  const stacks = await Promise.all(Array.from({ length: workers }, () => startStack()))
  const shared = stacks.map(({ vaspOrigin, gatewayOrigin, shopOrigin, relay, settings }): SharedStack => ({
    vaspOrigin,
    gatewayOrigin,
    shopOrigin,
    relay,
    settings,
  }))
  process.env[STACKS] = JSON.stringify(shared)
  return async () => {
    await Promise.all(stacks.map((stack) => stack.stop()))
  }
}
