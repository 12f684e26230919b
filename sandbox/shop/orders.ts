import { createHash, randomUUID } from 'node:crypto'
import type { ShopDeps } from './deps'
import { satsText } from './money'
import { mayHaveBeenPaid } from './nwc-problem'
import { ShopError, type Problem } from './problem'
import { SHOP_NAME, type Product } from './products'
import type { Order, Session } from './store'
import { callWallet } from './wallet-calls'

export const INVOICE_LIFE_SECONDS = 900

/** Places an order: the shop's own wallet creates the invoice. @throws ShopError */
export async function placeOrder(deps: ShopDeps, session: Session, product: Product): Promise<Order> {
  const params = {
    amount: product.priceSats * 1_000,
    description: `${SHOP_NAME}: ${product.name}`,
    expiry: INVOICE_LIFE_SECONDS,
  }
  const words = `The shop asks its own wallet for an invoice: ${product.name}, ${satsText(product.priceSats)}`
  const outcome = await callWallet(deps, session, 'merchant', { method: 'make_invoice', params }, words)
  if ('problem' in outcome) throw new ShopError(outcome.problem)
  const { invoice, payment_hash } = outcome.result
  if (typeof invoice !== 'string' || typeof payment_hash !== 'string') throw new ShopError(noInvoice)
  const order: Order = {
    id: randomUUID(),
    good: product.id,
    priceSats: product.priceSats,
    invoice,
    paymentHash: payment_hash,
    madeAtSeconds: deps.nowSeconds(),
    state: 'open',
  }
  deps.store.addOrder(session, order)
  return order
}

/** Pays from the visitor's wallet. If the outcome is unknown, the shop looks the payment up instead of paying again. */
export async function payOrder(deps: ShopDeps, session: Session, order: Order): Promise<Problem | undefined> {
  if (order.state !== 'open') return undefined
  move(deps, order, 'paying')
  const request = { method: 'pay_invoice', params: { invoice: order.invoice } }
  const outcome = await callWallet(
    deps,
    session,
    'customer',
    request,
    `Ask your wallet to pay ${satsText(order.priceSats)}`,
  )
  if ('problem' in outcome) {
    move(deps, order, mayHaveBeenPaid(outcome.problem) ? 'unknown' : 'open')
    return outcome.problem
  }
  if (!proves(outcome.result.preimage, order.paymentHash)) {
    move(deps, order, 'unknown')
    return noProof
  }
  move(deps, order, 'paid')
  return undefined
}

/** Checks with the shop's own wallet whether the invoice is paid. */
export async function lookOrderUp(deps: ShopDeps, session: Session, order: Order): Promise<Problem | undefined> {
  const request = { method: 'lookup_invoice', params: { payment_hash: order.paymentHash } }
  const outcome = await callWallet(
    deps,
    session,
    'merchant',
    request,
    'The shop asks its own wallet whether the invoice is paid',
  )
  if ('problem' in outcome) return outcome.problem
  if (outcome.result.settled_at != null) move(deps, order, 'paid')
  else if (order.state === 'unknown') move(deps, order, 'open')
  return undefined
}

function move(deps: ShopDeps, order: Order, state: Order['state']): void {
  order.state = state
  deps.store.save()
}

/** The preimage is the receipt: its SHA-256 is the payment hash of the invoice. */
function proves(preimage: unknown, paymentHash: string): boolean {
  if (typeof preimage !== 'string' || !/^[0-9a-f]{64}$/i.test(preimage)) return false
  return createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex') === paymentHash.toLowerCase()
}

const noInvoice: Problem = {
  code: 'REPLY_INCOMPLETE',
  message: 'The reply has no invoice or no payment_hash.',
  meaning: 'The shop’s wallet did not return an invoice.',
  side: 'wallet',
  todo: 'See the call in the list. Nothing was charged.',
}

const noProof: Problem = {
  code: 'WRONG_PREIMAGE',
  message: 'The preimage in the reply does not belong to this invoice.',
  meaning: 'The wallet reports a payment, but its proof does not match.',
  side: 'wallet',
  todo: 'Click “Check payment”: the shop’s own wallet knows whether the invoice was paid.',
}
