// A complete UMA Auth app: it connects to a wallet, pays over NWC, refreshes its access and disconnects.
// The guide docs/connect-an-app.md explains each step.
//
//   npm install oauth4webapi nostr-tools @getalby/sdk
//   node app.mjs              (Node 22 or newer. With Node 20: node --experimental-websocket app.mjs)

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { NWCClient } from '@getalby/sdk/nwc'
import { npubEncode } from 'nostr-tools/nip19'
import { finalizeEvent, generateSecretKey, getPublicKey } from 'nostr-tools/pure'
import { Relay } from 'nostr-tools/relay'
import { bytesToHex, hexToBytes } from 'nostr-tools/utils'
import * as oauth from 'oauth4webapi'

const ADDRESS = process.env.ADDRESS ?? '$alice@localhost:3000' // An app asks its user for this.
const RELAY = process.env.RELAY ?? 'ws://localhost:7447' // A public gateway requires a wss:// relay.
const CALLBACK_PORT = Number(process.env.CALLBACK_PORT ?? 9590)
const REDIRECT_URI = `http://localhost:${CALLBACK_PORT}/callback`
const KEY_FILE = 'app.key'

// 1. Identity. The key identifies the app. Keep the file: a new key is a different app.
if (!existsSync(KEY_FILE)) writeFileSync(KEY_FILE, bytesToHex(generateSecretKey()), { mode: 0o600 })
const secretKey = hexToBytes(readFileSync(KEY_FILE, 'utf8'))
const content = { name: 'Example app', allowed_redirect_urls: [REDIRECT_URI] }
const nowSeconds = Math.floor(Date.now() / 1000)
const identity = { kind: 13_195, created_at: nowSeconds, tags: [], content: JSON.stringify(content) }
const relay = await Relay.connect(RELAY).catch(() => {
  throw new Error(`The relay ${RELAY} does not answer. Is the demo running?`)
})
await relay.publish(finalizeEvent(identity, secretKey))
relay.close()

// 2. Discovery. The VASP at the address's domain names its gateway. http is for this machine only.
const domain = ADDRESS.slice(ADDRESS.indexOf('@') + 1)
const isLocal = new URL(`http://${domain}`).hostname === 'localhost'
const origin = `${isLocal ? 'http' : 'https'}://${domain}`
const discovery = await fetch(`${origin}/.well-known/uma-configuration`)
if (!discovery.ok) throw new Error(`${domain} does not offer UMA Auth: it answered ${discovery.status}.`)
/** @type {oauth.AuthorizationServer} The document has no issuer, and oauth4webapi requires one. */
const server = { issuer: origin, ...(await discovery.json()) }
const client = { client_id: `${npubEncode(getPublicKey(secretKey))} ${RELAY}` }
const options = { [oauth.allowInsecureRequests]: isLocal }

// 3. Authorization request. The user signs in at the VASP and approves at the gateway.
const verifier = oauth.generateRandomCodeVerifier()
const state = oauth.generateRandomState()
const authorization = new URL(server.authorization_endpoint ?? '')
authorization.search = new URLSearchParams({
  response_type: 'code',
  client_id: client.client_id,
  redirect_uri: REDIRECT_URI,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
  required_commands: 'get_balance make_invoice lookup_invoice pay_invoice',
  optional_commands: 'list_transactions',
  budget: '500.USD/monthly', // 500 cents, which is 5.00 USD
  expires_at: String(nowSeconds + 7 * 86_400),
  uma_username: ADDRESS.slice(0, ADDRESS.indexOf('@')),
}).toString()
const callback = waitForCallback()
console.log(`Open this address in a browser:\n${authorization.href}\n`)

// 4. Token request. validateAuthResponse throws if the user refused (access_denied) or the state is not ours.
const parameters = oauth.validateAuthResponse(server, client, await callback, state)
let token = await oauth.processAuthorizationCodeResponse(
  server,
  client,
  await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, REDIRECT_URI, verifier, options),
)
console.log('Connected to', token.uma_address, 'with the budget', token.budget, 'and the commands', token.commands)

// 5. NWC. Amounts of invoices are millisatoshis. The unit of a balance is in `currency`.
let wallet = openWallet(token)
await printBalance()
const { invoice, payment_hash } = await wallet.makeInvoice({ amount: 100_000, description: 'Tea' })
await wallet.payInvoice({ invoice })
while (!(await wallet.lookupInvoice({ payment_hash })).settled_at) await sleep(1_000)
console.log('Paid 100 satoshis from the wallet to itself.')
console.log('Budget:', await wallet.getBudget())

// 6. Refresh, before `expires_in` has passed. The old secret stops working at once: store the new response first.
const before = wallet
token = await oauth.processRefreshTokenResponse(
  server,
  client,
  await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token.refresh_token ?? '', options),
)
wallet = openWallet(token)
await printBalance()
await before.getBalance().catch((error) => console.log('The old secret is refused:', error.code))
before.close()

// 7. Revoke. The connection ends for good; the user can connect again.
await oauth.processRevocationResponse(
  await oauth.revocationRequest(server, client, oauth.None(), token.refresh_token ?? '', options),
)
await wallet.getBalance().catch((error) => console.log('Revoked:', error.code))
wallet.close()

/** @param {any} answer a token response: OAuth's fields, and the NWC pairing URI */
function openWallet(answer) {
  return new NWCClient({ nostrWalletConnectUrl: answer.nwc_connection_uri })
}

async function printBalance() {
  /** @type {{ balance: number, currency?: { code: string, decimals: number } | null }} */
  const { balance, currency } = await wallet.getBalance()
  if (currency) console.log('Balance:', (balance / 10 ** currency.decimals).toFixed(currency.decimals), currency.code)
  else console.log('Balance:', balance, 'millisatoshis')
}

/** @returns {Promise<URL>} the address to which the gateway redirected the browser */
function waitForCallback() {
  return new Promise((resolve, reject) => {
    const http = createServer((request, response) => {
      const url = new URL(request.url ?? '/', REDIRECT_URI)
      if (url.pathname !== '/callback') return void response.writeHead(404).end()
      response.writeHead(200, { Connection: 'close' }).end('Return to the terminal.')
      http.close()
      resolve(url)
    })
    http.on('error', reject).listen(CALLBACK_PORT, 'localhost')
  })
}
