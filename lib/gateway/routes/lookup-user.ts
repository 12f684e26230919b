import { MAX_WIRE_INTEGER, toWireInteger } from '../../money/convert'
import { multiplierOf } from '../../money/rates'
import type { ReceiverCurrency } from '../../uma/counterparty'
import { lookUp } from '../../uma/look-up'
import { SPEAKS_TO_NOBODY, abroad } from '../abroad'
import { addressInPath } from '../receiver-address'
import { commandRoute } from '../route'
import { LookupUserParams, LookupUserQuery, LookupUserReply } from '../schemas'

/** `GET /receiver/lud16/{receiver_address}`: what can be paid there, by the receiver's preference. */
export const lookupUserRoute = commandRoute({
  command: 'lookup_user',
  accepts: ['connection'],
  params: LookupUserParams,
  query: LookupUserQuery,
  reply: LookupUserReply,
  refusals: { '501': SPEAKS_TO_NOBODY },
  run: ({ deps, caller, params, query }) =>
    abroad({ deps, caller }, async () => {
      const { currencies } = await lookUp(deps, caller.username, addressInPath(params.receiver_address))
      const base = query.base_sending_currency_code
      const baseMsatsPerUnit = base === undefined ? 1 : multiplierOf(base)
      return { currencies: currencies.map((each) => toPreference(each, baseMsatsPerUnit)) }
    }),
})

function toPreference({ code, symbol, name, decimals, ...offered }: ReceiverCurrency, baseMsatsPerUnit: number) {
  return {
    currency: { code, symbol, name, decimals },
    multiplier: offered.msatsPerUnit / baseMsatsPerUnit,
    // The gateway takes nothing below 1, and JSON readers nothing above 2^53 - 1.
    min: toWireInteger(offered.min < 1n ? 1n : offered.min),
    max: toWireInteger(offered.max > MAX_WIRE_INTEGER ? MAX_WIRE_INTEGER : offered.max),
  }
}
