import { it } from 'vitest'
import { expectFound } from './expect-found'
import { discoveryMutations } from './mutations/discovery'
import { loginMutations } from './mutations/login'
import { tokenAndExchangeMutations } from './mutations/tokens'

it('a planted mistake in discovery, sign-in or tokens is found, nearly always by the named case', async () => {
  await expectFound([...discoveryMutations, ...loginMutations, ...tokenAndExchangeMutations])
})
