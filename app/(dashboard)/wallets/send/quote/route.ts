import { isVaspError } from '@/lib/platform/errors'
import { seeOther } from '@/lib/platform/http/page-answers'
import { personForm } from '@/lib/platform/http/page-route'
import { readWallets } from '@/lib/ledger/accounts'
import { currencyOf } from '@/lib/money/currencies'
import { parseUnits } from '@/lib/money/format'
import { createQuote } from '@/lib/quotes/create'
import { resolveReceiver } from '@/lib/quotes/resolve-receiver'
import { priceProblem } from '@/lib/quotes/errors'
import { isCommentFor } from '@/lib/uma/comment'

const LONGEST_ADDRESS = 400
const LONGEST_COMMENT = 1_000

/** Asks for a price and shows it. Nothing is reserved. */
export const POST = personForm(async ({ deps, username, form }) => {
  const field = (name: string, longest = 40): string => (form.get(name) ?? '').trim().slice(0, longest)
  const typed = {
    invoice: field('to', LONGEST_ADDRESS),
    amount: field('amount'),
    side: field('side') === 'sending' ? 'sending' : 'receiving',
    wallet: field('wallet'),
    currency: field('currency'),
    comment: field('comment', LONGEST_COMMENT),
  } as const
  const back = (error: string): Response => seeOther(`/wallets/send?${new URLSearchParams({ ...typed, error })}`)
  const wallet = (await readWallets(deps.db, username)).find(({ code }) => code === typed.wallet)
  if (wallet === undefined) return back('wallet')
  const look = await resolveReceiver(deps, username, typed.invoice)
  // The page looks by itself and says what is wrong.
  if (look.kind === 'problem') return back('receiver')
  const { receiver } = look
  const currency = receiver.currencies.find(({ code }) => code === typed.currency)
  if (currency === undefined) return back('currency')
  const { decimals } = typed.side === 'sending' ? currencyOf(wallet.code) : currency
  const lockedAmount = parseUnits(typed.amount, decimals)
  if (lockedAmount === undefined) return back('units')
  const comment = typed.comment === '' || receiver.commentLength === 0 ? undefined : typed.comment
  if (comment !== undefined && !isCommentFor(receiver, comment)) return back('comment')
  try {
    const { paymentHash } = await deps.limits.runOutbound(username, () =>
      createQuote(deps, receiver, {
        username,
        connectionId: null,
        wallet,
        receivingCode: currency.code,
        lockedSide: typed.side,
        lockedAmount,
        comment,
      }),
    )
    return seeOther(`/wallets/quotes/${paymentHash}`)
  } catch (error) {
    if (isVaspError(error) && error.status < 500) return back(priceProblem(error, 'price'))
    throw error
  }
})
