import { snapshotOf } from '@/lib/ledger/rate-snapshot'
import { decodeInvoice } from '@/lib/lightning/bolt11'
import { currencyOf, multiplierOf, rateOf, type CurrencyCode } from '@/lib/money/currencies'
import { fromLedgerUnits, msatsInLedgerUnits, toLedgerUnits, worthInMsats } from '@/lib/money/ledger-units'
import { parseAddress } from '@/lib/uma/address'
import type { InvoiceOffer, InvoiceRequest, Receiver } from '@/lib/uma/client/types'
import type { ScriptedNode } from '../lightning/scripted-node'

export interface RemoteReceiver extends Receiver {
  /** The requests, newest last. */
  readonly asked: InvoiceRequest[]
  /** Changes the answer to every request from now on. */
  answers: (offer: InvoiceOffer, request: InvoiceRequest) => InvoiceOffer
}

/** A user of another VASP, behind the scripted node, who accepts one currency. */
export function remoteReceiver(node: ScriptedNode, code: CurrencyCode, feeMsats = 0n): RemoteReceiver {
  const asked: InvoiceRequest[] = []
  const receiver: RemoteReceiver = {
    asked,
    answers: (offer) => offer,
    address: parseAddress('$remote@elsewhere.example'),
    protocol: 'uma-1',
    rates: snapshotOf(rateOf),
    currencies: [{ ...currencyOf(code), msatsPerUnit: multiplierOf(code, rateOf), min: 1n, max: 100_000_000_000n }],
    minMsats: 1n,
    maxMsats: 10n ** 12n,
    commentLength: 0,
    requestInvoice: (request) => {
      asked.push(request)
      return Promise.resolve(receiver.answers(offerOf(node, code, feeMsats, request), request))
    },
  }
  return receiver
}

function offerOf(
  node: ScriptedNode,
  code: CurrencyCode,
  feeMsats: bigint,
  { lock, expirySeconds }: InvoiceRequest,
): InvoiceOffer {
  const amountMsats =
    lock.side === 'sending' ? lock.msats : worthInMsats(toLedgerUnits(lock.units, code), code, 'up', rateOf) + feeMsats
  const receivingUnits =
    lock.side === 'receiving'
      ? lock.units
      : fromLedgerUnits(msatsInLedgerUnits(amountMsats - feeMsats, code, 'down', rateOf), code, 'down')
  const decoding = decodeInvoice(node.invoice(amountMsats, expirySeconds).invoice, 'regtest')
  if (!decoding.ok) throw new Error(decoding.reason)
  const msatsPerUnit = multiplierOf(code, rateOf)
  return {
    invoice: decoding.invoice,
    amountMsats,
    receivingUnits,
    feeMsats,
    msatsPerUnit,
    remoteCallback: null,
  }
}
