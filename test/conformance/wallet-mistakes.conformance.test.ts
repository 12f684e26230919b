import { it } from 'vitest'
import { expectFound } from './expect-found'
import { bearerMutations } from './mutations/bearer'
import { movementMutations } from './mutations/movements'
import { paymentMutations } from './mutations/payments'
import { walletMutations } from './mutations/wallet'

it('a planted mistake in the wallet API is found, nearly always by the named case', async () => {
  await expectFound([...bearerMutations, ...walletMutations, ...paymentMutations, ...movementMutations])
})
