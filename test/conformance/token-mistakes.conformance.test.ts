import { expect, it } from 'vitest'
import { discoveryMutations } from './mutations/discovery'
import { loginMutations } from './mutations/login'
import { expectFound } from './mutations/run'
import { tokenAndExchangeMutations } from './mutations/tokens'

it('a planted mistake in discovery, sign-in or tokens fails the named cases, and no others', async () => {
  const alone = await expectFound([...discoveryMutations, ...loginMutations, ...tokenAndExchangeMutations])
  expect(alone).toBeGreaterThanOrEqual(60)
})
