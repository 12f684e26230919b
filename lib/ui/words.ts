import { application } from '../backend/application'
import { currencyOf } from '../money/currencies'
import type { PaymentCard } from '../payments/queries'
import type { Quote } from '../quotes/types'
import type { Protocol } from '../uma/client/types'

/** The sentence that says who confirms the name at an address. */
export function protocolInWords(protocol: Protocol, domain: string): string {
  switch (protocol) {
    case 'own':
      return `a customer of ${application().settings.vaspName}`
    case 'uma-1':
      return `UMA 1, signed by ${domain}`
    case 'uma-0':
      return `UMA 0.3, signed by ${domain}`
    case 'lnurl':
      return `Lightning Address at ${domain}, which signs nothing`
  }
}

const figures = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 6 })

/** "1 EUR = 1.08696 USD", for reading only: no amount is computed from it. Null where both currencies are the same. */
export function rateInWords({ multiplier, receivingCurrency, sendingCode }: Quote): string | null {
  if (receivingCurrency.code === sendingCode) return null
  const whole = multiplier * 10 ** (receivingCurrency.decimals - currencyOf(sendingCode).decimals)
  return `1 ${receivingCurrency.code} = ${figures.format(whole)} ${sendingCode}`
}

/** "the node of Northbank", "the node at localhost:3001"; undefined for a node that is not in the settings. */
export function nodeOwner(publicKeyHex: string): string | undefined {
  const { node, settings } = application()
  if (publicKeyHex === node.identity.publicKeyHex) return `the node of ${settings.vaspName}`
  const peer = settings.lightningPeers.find((each) => each.publicKeyHex === publicKeyHex)
  return peer === undefined ? undefined : `the node at ${new URL(peer.origin).host}`
}

/** A sentence that says what a pending payment waits for. */
export function waitsFor({ peer, sent }: Pick<PaymentCard, 'peer' | 'sent'>): string {
  if (peer === null) return 'We wait for its outcome.'
  const node = nodeOwner(peer) ?? `the node ${peer.slice(0, 12)}…`
  return sent ? `We asked ${node} and wait for its answer.` : `It is about to be sent to ${node}.`
}
