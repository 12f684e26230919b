import { application } from '../backend/application'
import { currencyOf, type CurrencyCode, type RateTable } from '../money/currencies'
import { formatAmount } from '../money/format'
import { ledgerDecimals, msatsInLedgerUnits, worthInMsats } from '../money/ledger-units'
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

/** An amount of a currency, in ledger units. */
interface LedgerAmount {
  readonly code: CurrencyCode
  readonly amount: bigint
}

/** The price of a conversion: "1 EUR = 1.08696 USD", the figure at least 1, for reading only. */
export function priceInWords(from: CurrencyCode, to: CurrencyCode, rates: RateTable): string {
  const worth = (code: CurrencyCode): number => {
    const { numerator, denominator } = rates(code)
    return (Number(numerator) / Number(denominator)) * 10 ** currencyOf(code).decimals
  }
  return pairInWords([from, to], worth(to) / worth(from))
}

/**
 * "25.00 USD gave 23.00 EUR at 1 EUR = 1.08696 USD". The ledger keeps no rate of a conversion: the sentence names the current one
 * while it gives these amounts, and the ratio of the amounts otherwise.
 */
export function conversionInWords(from: LedgerAmount, to: LedgerAmount, rates: RateTable): string {
  const msats = worthInMsats(from.amount, from.code, 'down', rates)
  const whole = ({ code, amount }: LedgerAmount): number => Number(amount) / 10 ** ledgerDecimals(code)
  const price =
    msatsInLedgerUnits(msats, to.code, 'down', rates) === to.amount
      ? priceInWords(from.code, to.code, rates)
      : pairInWords([from.code, to.code], whole(from) / whole(to))
  const [given, got] = [from, to].map(({ code, amount }) => `${formatAmount(amount, code)} ${code}`)
  return `${given} gave ${got} at ${price}.`
}

/** @param price of one whole unit of the second currency in the first. */
function pairInWords([from, to]: readonly [CurrencyCode, CurrencyCode], price: number): string {
  return price >= 1 ? `1 ${to} = ${figures.format(price)} ${from}` : `1 ${from} = ${figures.format(1 / price)} ${to}`
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
