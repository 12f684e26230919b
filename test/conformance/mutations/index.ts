import { bearerMutations } from './bearer'
import { discoveryMutations } from './discovery'
import { loginMutations } from './login'
import { movementMutations } from './movements'
import { paymentMutations } from './payments'
import { tokenAndExchangeMutations } from './tokens'
import type { Mutation } from './tools'
import { walletMutations } from './wallet'

/** Every planted mistake, with the case that has to find it. */
export const MUTATIONS: readonly Mutation[] = [
  ...discoveryMutations,
  ...loginMutations,
  ...tokenAndExchangeMutations,
  ...bearerMutations,
  ...walletMutations,
  ...paymentMutations,
  ...movementMutations,
]
