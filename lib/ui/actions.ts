/** Where the forms of these pages go. A page and a handler cannot share a path, so two of them have a word more. */
export const ACTIONS = {
  faucet: '/wallets/faucet',
  convert: '/wallets/convert',
  receive: '/wallets/receive/make',
  send: '/wallets/send/confirm',
  askQuote: '/wallets/send/quote',
  payQuote: '/wallets/send/pay',
  quoteUmaInvoice: '/wallets/send/uma',
  makeUmaInvoice: '/wallets/receive/uma',
  declineRequest: '/requests/decline',
} as const
