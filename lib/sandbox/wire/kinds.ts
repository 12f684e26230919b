import type { EventKind } from '../../events/types'

/** The kinds of events in words. */
export const KIND_NAMES: Readonly<Record<EventKind, string>> = {
  api_call: 'API call',
  token_exchange: 'Token exchange',
  login: 'Login',
  discovery: 'Discovery',
  uma_message: 'UMA message',
  lightning_message: 'Lightning message',
  payment: 'Payment',
  invoice: 'Invoice',
  payment_request: 'Payment request',
  connection: 'Connection',
  wallet: 'Wallet',
}
