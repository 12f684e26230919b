import { application } from '../backend/application'
import { currencyOf } from '../money/currencies'
import type { PaymentCard } from '../payments/queries'
import type { Quote } from '../quotes/types'
import type { Protocol } from '../uma/types'

/** A phrase that names the VASP of an address and says whether its answers are signed. */
export function protocolInWords(protocol: Protocol, domain: string): string {
  switch (protocol) {
    case 'own':
      return `a ${application().settings.vaspName} customer`
    case 'uma-1':
      return `${domain} (signed, UMA 1)`
    case 'uma-0':
      return `${domain} (signed, UMA 0.3)`
    case 'lnurl':
      return `Lightning Address at ${domain} (not signed)`
  }
}

const figures = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 6 })

/** "1 EUR = 1.08696 USD", for reading only: no amount is computed from it. Null when both currencies are the same. */
export function rateInWords({ multiplier, receivingCurrency, sendingCode }: Quote): string | null {
  if (receivingCurrency.code === sendingCode) return null
  const whole = multiplier * 10 ** (receivingCurrency.decimals - currencyOf(sendingCode).decimals)
  return `1 ${receivingCurrency.code} = ${figures.format(whole)} ${sendingCode}`
}

/** "the node of Northbank", "the node at localhost:3001"; undefined for a node that is not in the settings. */
export function nodeOwner(publicKeyHex: string): string | undefined {
  const { node, nodePeers, settings } = application()
  if (publicKeyHex === node.identity.publicKeyHex) return `the node of ${settings.vaspName}`
  const peer = nodePeers?.find((each) => each.publicKeyHex === publicKeyHex)
  return peer === undefined ? undefined : `the node at ${new URL(peer.origin).host}`
}

/** A sentence about what a pending payment is waiting for. */
export function waitsFor({ peer, sent }: Pick<PaymentCard, 'peer' | 'sent'>): string {
  if (peer === null) return 'Waiting for the result.'
  const node = nodeOwner(peer) ?? `the node ${peer.slice(0, 12)}…`
  return sent ? `Waiting for ${node} to confirm.` : `About to be sent to ${node}.`
}
