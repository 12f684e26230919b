import { expect, it } from 'vitest'
import { bearerMutations } from './mutations/bearer'
import { paymentMutations } from './mutations/payments'
import { expectFound } from './mutations/run'
import { walletMutations } from './mutations/wallet'

it('a planted mistake in the wallet API fails the named cases, and no others', async () => {
  const alone = await expectFound([...bearerMutations, ...walletMutations, ...paymentMutations])
  expect(alone).toBeGreaterThanOrEqual(75)
})
