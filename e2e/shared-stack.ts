import type { Stack } from './stack'

/** What tests know of the stack that all those of one worker share. */
export type SharedStack = Pick<Stack, 'vaspOrigin' | 'gatewayOrigin' | 'shopOrigin' | 'relay' | 'settings'>

/** The variable in which the global setup hands them to the workers. */
export const STACKS = 'E2E_STACKS'

/** Of this worker; for use within a test. */
export function sharedStack(): SharedStack {
  const stacks = JSON.parse(process.env[STACKS] ?? '[]') as readonly SharedStack[]
  const mine = stacks[Number(process.env.TEST_PARALLEL_INDEX)]
  if (mine === undefined) throw new Error('the stack is for workers of Playwright')
  return mine
}
