/** A sentence and where it stands. */
export interface Sentence {
  readonly paragraph: string
  readonly quote: string
}

/** Sentences of one paragraph, by the names that cases use for them. */
function at<const Name extends string>(
  paragraph: string,
  quotes: Readonly<Record<Name, string>>,
): Readonly<Record<Name, Sentence>> {
  const entries = Object.entries<string>(quotes).map(([name, quote]) => [name, { paragraph, quote }])
  return Object.fromEntries(entries) as Record<Name, Sentence>
}

export const API = 'Endpoints, API endpoints'
export const BUDGET = 'Resources and their fields, Budget fields'
export const CONNECTION = 'Resources and their fields, Long-lived JWT'
export const DOCUMENT = 'Resources and their fields, Discovery document'
export const ERRORS = 'Errors'
export const ESTIMATES = 'States and transitions, Budget handling around one payment'
export const EXCHANGE = 'Resources and their fields, Token exchange request and response'
export const FLOW = 'States and transitions, Authorization flow order 3'
export const HISTORY = 'NIP-47, list_transactions'
export const LOGIN = 'Resources and their fields, Short-lived JWT'
export const LOOKUP = 'Resources and their fields, LookupUserResponse'
export const PAYLOADS = 'Endpoints, Known payload facts'

/** The specification, word for word: each case of the level `must` names one of these sentences. */
export const SPEC = {
  ...at('Authentication 1', {
    es256: 'The JWT is signed with ES256 (ECDSA, P-256).',
    keyPair: 'The VASP holds the private key securely and gives the public key to the gateway in UMA_VASP_JWT_PUBKEY.',
  }),
  ...at('Authentication 2', {
    connectionForAll: 'The gateway uses the long-lived JWT of a connection for all API requests.',
    loginForInfo:
      'The only exception is GET /info, which the gateway may call with the short-lived JWT while showing the permission approval screen.',
  }),
  ...at('Authentication 3', {
    verified:
      'the signature is checked with the public key, the issuer and audience must equal the VASP domain, and the token must be unexpired.',
    domain: 'the issuer and audience must equal the VASP domain',
    unexpired: 'the token must be unexpired',
    forThatUser: 'The `sub` claim is the user ID, and the request is carried out for that user.',
  }),
  ...at('Authentication 4', {
    unauthorized:
      'When the Authorization header is missing, or the JWT is invalid, respond 401 with error text `Unauthorized`.',
  }),
  ...at('Authentication 6', {
    onlyLogin: 'The token exchange endpoint accepts only the short-lived JWT, checked by the same rules.',
  }),
  ...at('Authentication 8', {
    always: 'Commands `get_info` and `get_budget_estimate` are allowed for every connection.',
  }),
  ...at('Authentication 9', {
    fromGateway: 'The login endpoint must check that `redirect_uri` comes from the gateway before it issues a token.',
  }),
  ...at(API, {
    implemented: 'An endpoint that is not implemented must have its command left out of VASP_SUPPORTED_COMMANDS.',
    balance: 'Balance in the specified currency, or in the default currency when none is given',
    createsInvoice: 'Creates a BOLT-11 invoice',
    paymentStatus: 'Fetches an invoice by payment hash, including its payment status',
    paysInvoice: 'Pays a BOLT-11 invoice. Request has budget_currency_code; response has total_budget_currency_amount',
    paysKeysend: 'Pays by keysend. Request has budget_currency_code; response has total_budget_currency_amount',
    paysQuote: 'Pays a quote generated earlier.',
    paysAddress: 'Lookup, quote and payment in one request.',
    required: '| GET /budget_estimate | get_budget_estimate | Required | Cost estimate in the budget currency |',
  }),
  ...at(ERRORS, {
    order: 'Order of checks in the token exchange: JWT first, then user, then permissions, then signing key.',
    exchangeUnauthorized:
      '| Authorization header missing or JWT invalid | 401 | Text `Unauthorized` (JSON field `error` in the token exchange) |',
    invalidRedirect: '| Login: `redirect_uri` does not come from the gateway | 400 | Text `Invalid redirect_uri` |',
    permissions: '| Token exchange: `permissions` missing or empty | 400 | JSON `error`: `Permissions are required.` |',
    noSigningKey:
      '| Token exchange: signing private key not configured | 500 | JSON `error` stating the key is not set |',
    noUser: '| Token exchange: user from `sub` not found | 404 | JSON `error` naming the missing user |',
    noVerificationKey: '| Verification public key not configured | 500 | Text `JWT public key not configured` |',
  }),
  ...at(BUDGET, {
    total:
      "Amount to deduct from the user's budget, in the budget currency. Must be populated when the budget currency differs from the payment currency",
  }),
  ...at(DOCUMENT, {
    atGateway: 'All endpoint fields point at the gateway, not at the VASP server.',
    served: 'JSON object served at `{vasp_domain}/.well-known/uma-configuration`.',
    name: '| name | string | VASP name |',
    grantTypes: '| grant_types_supported | array of strings | contains `authorization_code` |',
    challengeMethods: '| code_challenge_methods_supported | array of strings | contains `S256` |',
    authorization_endpoint: '| authorization_endpoint | URL | `{gateway_url}/oauth/auth` |',
    token_endpoint: '| token_endpoint | URL | `{gateway_url}/oauth/token` |',
    connection_management_endpoint:
      '| connection_management_endpoint | URL template | `{gateway_url}/connection/<connection_id>` |',
    revocation_endpoint: '| revocation_endpoint | URL | `{gateway_url}/oauth/revoke` |',
  }),
  ...at('Resources and their fields, Error body used by the token exchange and by the authentication check', {
    errorField: 'JSON object with one field `error` (string, message text).',
  }),
  ...at('Limits 2', {
    noExpiry: 'The long-lived JWT has no expiry unless the exchange request carries `expiration`.',
  }),
  ...at(CONNECTION, {
    connectionSub: '| sub | string | User ID as a string |',
    connectionAud: '| aud | string | VASP domain |',
    connectionIss: '| iss | string | VASP domain |',
    connectionAddress: "| address | string | The user's UMA address |",
    connectionExp:
      '| exp | timestamp | Present only when the exchange request carried `expiration`; then equal to that value |',
  }),
  ...at(LOGIN, {
    loginSub: '| sub | string | User ID in the VASP system |',
    loginAud: '| aud | string | VASP domain |',
    loginIss: '| iss | string | VASP domain |',
    loginAddress: "| address | string | The user's UMA address, shown by the gateway in its interface |",
    loginExp: '| exp | timestamp | Expiry; the reference flow uses 10 minutes after issue |',
  }),
  ...at(LOOKUP, {
    receiverCurrencies:
      'Built from the `receiverCurrencies` list of the UMA receiver lookup; an empty array when that list is absent or empty',
  }),
  ...at(EXCHANGE, {
    exchanged: '| Response body (JSON) | token | string (JWT) | | The long-lived JWT |',
  }),
  ...at('States and transitions, Authorization flow order 2', {
    skipped: 'Skipped when already logged in',
    existingLogin: "User logs in via the VASP's existing login",
  }),
  ...at(FLOW, {
    redirect:
      "Short-lived JWT issued, browser redirected to `redirect_uri` with query parameters `token` (the JWT) and `currency` (JSON object of the user's default Currency)",
    loginToken: 'with query parameters `token` (the JWT)',
    loginCurrency: "`currency` (JSON object of the user's default Currency)",
  }),
  ...at('Versioning 1', {
    majorVersions:
      'The discovery document field `uma_major_versions` lists the supported UMA major versions as an array of integers.',
  }),
}

/** Reasons of cases below the level `must` that several cases share. */
export const REASONS = {
  ...at(API, {
    model:
      'The gateway checks each answer against a strict model. It sends the app an error when the answer does not fit.',
    paymentModel:
      'When the gateway cannot read the answer to a payment, it books the payment as failed and refunds the budget, though the money has left.',
    once: 'The gateway executes a request again after a failure of its own. The wallet must not pay twice.',
    locked: 'The locked amount is the one that the user chose.',
    wrongRequest: 'The request is wrong, so the answer is 4xx.',
  }),
  ...at(ERRORS, {
    passedOn: 'The gateway passes {"code", "message"} on to the app.',
  }),
  ...at(HISTORY, { pages: 'Apps read the history in pages.' }),
}
