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
    comment: 'The comment is longer than they take, so no price was asked for. Write a shorter one.',
    route:
      'No route leads to their node, so nothing was paid. This sandbox pays its own people and the nodes in its settings.',
    uma: 'There is no price for this UMA invoice, so nothing was paid. It may be paid already, or be for somebody else to pay.',
    busy: 'Too much was asked for at once, so no price was asked for. Try again in a moment.',
    failed: 'The payment was refused, so nothing was paid. Look at the invoice again, or ask for a new one.',
  }),
)

/** What happened, whose side, what to do. Only codes known here are spelled out; the address bar decides no text. */
export function problemSentence(error: string | undefined): string | undefined {
  if (error === undefined) return undefined
  return PROBLEMS.get(error) ?? 'It did not work on our side. Look at your statement before you try again.'
}

/** The field of the form for an address that a code is about. */
export function faultOf(error: string | undefined): 'amount' | 'wallet' | 'currency' | undefined {
  if (error === 'wallet' || error === 'currency') return error
  return error === 'units' || error === 'price' ? 'amount' : undefined
}
