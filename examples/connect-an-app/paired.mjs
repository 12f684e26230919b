// An app without OAuth: its user copies a connection string (pairing URI) from the gateway.
//
//   npm install @getalby/sdk
//   CONNECTION='nostr+walletconnect://…' node paired.mjs
//
// Node 22 or newer. With Node 20: node --experimental-websocket paired.mjs

import { setTimeout as sleep } from 'node:timers/promises'
import { NWCClient } from '@getalby/sdk/nwc'

const { CONNECTION } = process.env // A secret: an app stores it like a password.
if (!CONNECTION) throw new Error('Set CONNECTION to the connection string of the gateway.')

const wallet = new NWCClient({ nostrWalletConnectUrl: CONNECTION })
const { methods } = await wallet.getInfo()
console.log('Connected. The wallet offers', methods.join(' '))

/** @type {{ balance: number, currency?: { code: string, decimals: number } | null }} */
const { balance, currency } = await wallet.getBalance()
if (currency) console.log('Balance:', (balance / 10 ** currency.decimals).toFixed(currency.decimals), currency.code)
else console.log('Balance:', balance, 'millisatoshis')

const { invoice, payment_hash } = await wallet.makeInvoice({ amount: 100_000, description: 'Tea' })
await wallet.payInvoice({ invoice })
while (!(await wallet.lookupInvoice({ payment_hash })).settled_at) await sleep(1_000)
console.log('Paid 100 satoshis from the wallet to itself.')
wallet.close()
