import { sentenceIn } from '@/lib/ui/sentence-in'

const PROBLEMS = new Map(
  Object.entries({
    insufficient: 'That wallet no longer holds enough, so nothing was paid. Fund it, convert into it, or look again.',
    changed: 'The price has changed since you looked, so nothing was paid. This is what it costs now.',
    unknown:
      'No route leads to the node of this invoice, so nothing was paid. This sandbox pays its own people and the nodes in its settings.',
    many: 'Many of your payments are still under way, so this one was not begun. Your wallets show them; try again when some have ended.',
    amount: 'The amount does not fit this invoice, so nothing was paid. Type a whole number of satoshis.',
    receiver: 'Their side did not answer just now, so no price was asked for. Try again in a moment.',
    wallet: 'You have no such wallet, so no price was asked for. Choose one of yours.',
    currency: 'They do not take that currency, so no price was asked for. Choose one of theirs.',
    units:
      'The amount cannot be read, so no price was asked for. Type a positive number with no more decimals than its currency has.',
    price:
      'There is no price for this amount, so nothing was paid. Type one within what they take, or try again in a moment.',
    small:
      'The amount is worth less than the least that they take in that currency, so nothing was paid. Type a larger amount.',
    comment: 'The comment is longer than they take, so no price was asked for. Write a shorter one.',
    route:
      'No route leads to their node, so nothing was paid. This sandbox pays its own people and the nodes in its settings.',
    uma: 'There is no price for this UMA invoice, so nothing was paid. It may be paid already, or be for somebody else to pay.',
    'their-silent':
      'Their side did not answer in time, so there is no price and nothing was paid. Try again in a moment.',
    'their-refused':
      'Their side refused to take this payment, so there is no price and nothing was paid. Try another amount or currency, or ask the receiver.',
    'their-later': 'Their side cannot answer right now, so there is no price and nothing was paid. Try again later.',
    'their-barred':
      'Their side does not take payments from here, so there is no price and nothing was paid. Ask the receiver for another way to be paid.',
    'their-unready':
      'Their side says that the receiver cannot take payments right now, so nothing was paid. Try again later, or ask the receiver.',
    'their-unverified':
      'Their side could not verify the messages of this VASP, so nothing was paid. Tell the operator of this VASP.',
    'their-unusable':
      'Their side gave an answer that cannot be used, so there is no price and nothing was paid. Trying again will not help: the receiver can tell their VASP.',
    'their-unsigned':
      'Their side gave an answer that is not signed as it should be, so nothing was paid there. Ask the receiver in another way before you try again.',
    'their-offer':
      'Their side made another offer than was asked for, so it was refused here and nothing was paid. Ask for the price again; if that stays so, the receiver can tell their VASP.',
    'their-curious':
      'Their side wants to know more of you than is known here, so there is no price and nothing was paid. Ask the receiver for another way to be paid.',
    'their-keyless':
      'Their side does not show its public keys right now, so nothing was paid. Try again in some minutes.',
    'their-closed':
      'Their side is not spoken to from here, so nothing was paid. Ask the receiver for an address elsewhere.',
    busy: 'Too much was asked for at once, so no price was asked for. Try again in a moment.',
    failed: 'The payment was refused, so nothing was paid. Look at the invoice again, or ask for a new one.',
  }),
)

export function problemSentence(error: string | undefined): string | undefined {
  return sentenceIn(PROBLEMS, error)
}

/** The field of the form for an address that a code is about. */
export function faultOf(error: string | undefined): 'amount' | 'wallet' | 'currency' | undefined {
  if (error === 'wallet' || error === 'currency') return error
  return error !== undefined && ['units', 'price', 'small', 'their-refused'].includes(error) ? 'amount' : undefined
}
