import { setTimeout as sleep } from 'node:timers/promises'
import { remoteFault, VaspError } from '../../platform/errors'
import { takeNonce } from '../../uma/nonces'
import type { FindRecipient, PayableUser } from '../../uma/payable-user'
import { BLINK_SECONDS, testRecipientOf, UNREACHABLE_SECONDS, type TestRecipient } from './recipients'

/** Maximum number of waiting lookups. Any client may look up an address, so further lookups are refused at once. */
const MAX_WAITING = 50

/** Adds the test recipients to the users of this VASP. The test node issues their invoices. */
export function withTestRecipients(find: FindRecipient, node: NonNullable<PayableUser['node']>): FindRecipient {
  let waiting = 0

  async function timeOut(): Promise<never> {
    if (waiting < MAX_WAITING) {
      waiting += 1
      await sleep(UNREACHABLE_SECONDS * 1_000, undefined, { ref: false }).finally(() => (waiting -= 1))
    }
    throw remoteFault('timeout', 'The recipient’s VASP did not answer. Nothing was paid. Try again later.')
  }

  return async (db, username, nonce) => {
    const recipient = testRecipientOf(username)
    if (recipient === undefined) return find(db, username, nonce)
    if (nonce !== undefined) await takeNonce(db, nonce)
    switch (recipient.name) {
      case 'nobody':
        return 'unknown'
      case 'blocked':
        throw new VaspError(
          403,
          'RESTRICTED',
          'The compliance rules of this VASP do not allow payments to this recipient. Nothing was paid.',
        )
      case 'unreachable':
        return timeOut()
      case 'blink':
        return { ...payable(recipient, node), maxExpirySeconds: BLINK_SECONDS }
      case 'declined':
      case 'slow':
      case 'flaky':
      case 'held':
      case 'satonly':
      case 'threecoins':
        return payable(recipient, node)
    }
  }
}

/** No wallet is credited, so each wallet id is 0. */
function payable(
  { name, currencies = [] }: TestRecipient,
  node: NonNullable<PayableUser['node']>,
): PayableUser & { readonly node: NonNullable<PayableUser['node']> } {
  return {
    username: name,
    displayName: `Test recipient ${name}`,
    wallets: currencies.map((code) => ({ walletId: 0n, code })),
    node,
  }
}
