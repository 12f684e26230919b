import { expect } from 'vitest'
import { runUsers, USERS_WALK } from '../programs/users-command'
import { environmentOf, type Stack } from '../stack/stack'

/** Each action of `npm run users` against a running server, which the command calls: a server locks the embedded folder. */
export async function walkUsers(stack: Stack): Promise<void> {
  const env = environmentOf(stack)
  for (const [args, input, expected] of USERS_WALK)
    expect(await runUsers(env, args, input), args.join(' ')).toEqual(expected)
  const { code, out } = await runUsers(env, ['list'])
  expect(code).toBe(0)
  expect(out.split('\n')).toContain('alice  active  USD EUR SAT')
  expect(out).not.toContain('carol')
}
