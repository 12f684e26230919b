import { makeQuote } from '../../quotes/make'
import { parseAddress } from '../../uma/address'
import { lookUp } from '../../uma/look-up'
import { SPEAKS_TO_NOBODY, abroad } from '../abroad'
import { walletIn } from '../caller'
import { toQuoteReply } from '../quote-reply'
import { commandRoute } from '../route'
import { FetchQuoteQuery, QuoteReply } from '../schemas'

/** `GET /quote/lud16`: a price that holds until it expires. Nothing is reserved. */
export const fetchQuoteRoute = commandRoute({
  command: 'fetch_quote',
  accepts: ['connection'],
  query: FetchQuoteQuery,
  reply: QuoteReply,
  refusals: { '404': 'The receiver is not known at the address', '501': SPEAKS_TO_NOBODY },
  run: ({ deps, caller, query }) => {
    const wallet = walletIn(caller, query.sending_currency_code)
    const address = parseAddress(query.receiver_address)
    return abroad({ deps, caller }, async () => {
      const receiver = await lookUp(deps, caller.username, address)
      const quote = await makeQuote(deps, receiver, {
        username: caller.username,
        connectionId: caller.tokenId,
        wallet,
        receivingCode: query.receiving_currency_code,
        lockedSide: query.locked_currency_side,
        lockedAmount: query.locked_currency_amount,
      })
      return toQuoteReply(quote)
    })
  },
})
