import type { Stack } from '../../test/stack/stack'

/** The addresses of the stack that the tests of one worker share. */
export type SharedStack = Pick<Stack, 'vaspOrigin' | 'gatewayOrigin' | 'shopOrigin' | 'relay' | 'settings'>

/** The environment variable in which the global setup passes these addresses to the workers. */
export const STACKS = 'E2E_STACKS'

/** The stack of this worker; for use within a test. */
export function sharedStack(): SharedStack {
  const stacks = JSON.parse(process.env[STACKS] ?? '[]') as readonly SharedStack[]
  const mine = stacks[Number(process.env.TEST_PARALLEL_INDEX)]
  if (mine === undefined) throw new Error('only Playwright workers have a stack')
  return mine
}
