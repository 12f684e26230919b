import { answer, type Answer, type Call } from '../reference-vasp'
import {
  answers,
  at,
  atLogin,
  bodyOf,
  errors,
  instead,
  json,
  jsonAnswer,
  pathOf,
  queryOf,
  withHeader,
  type Json,
  type Mutation,
  type Wrap,
} from './tools'

// Mistakes that need UMA or several currencies: they are added to our own VASP.

const atLookup = (call: Call): boolean => pathOf(call).startsWith('/.well-known/lnurlp/')
const atKeys = (call: Call): boolean => pathOf(call) === '/.well-known/lnurlpubkey'
const isSigned = (call: Call): boolean => queryOf(call).has('signature')
/** The callback of a lookup: by GET for plain LNURL, by POST for UMA. */
const atPayRequest = (call: Call): boolean =>
  pathOf(call).startsWith('/uma/') && (call.method === 'POST' || queryOf(call).has('amount'))
const atPlainPay = (call: Call): boolean => atPayRequest(call) && call.method === 'GET'
const atUmaPay = (call: Call): boolean => atPayRequest(call) && call.method === 'POST'

function own(caughtBy: string, mistake: string, wrap: Wrap, rest: Partial<Mutation> = {}): Mutation {
  return { caughtBy, mistake, vasp: { wrap }, ...rest }
}

/** Returns the last successful answer where the VASP refuses. `isRepeated`: whether the nonce was seen before. */
function neverRefuses(
  matches: (call: Call) => boolean,
  isAccepted: (call: Call, isRepeated: boolean) => boolean,
): Wrap {
  return (next) => {
    let good: Answer | undefined
    const nonces = new Set<string | null>()
    return async (call) => {
      const given = await next(call)
      if (!matches(call)) return given
      const nonce = queryOf(call).get('nonce')
      const isRepeated = nonces.has(nonce)
      nonces.add(nonce)
      if (given.status === 200 && (JSON.parse(given.text) as Json).status !== 'ERROR') good = given
      else if (isAccepted(call, isRepeated) && good !== undefined) return good
      return given
    }
  }
}

const atSigned = (call: Call): boolean => atLookup(call) && isSigned(call)
const isOld = (call: Call): boolean => Number(queryOf(call).get('timestamp')) < Date.now() / 1_000 - 3_600

const compliance = (body: Json): Json => (body.compliance ?? (body.payeeData as Json).compliance) as Json
/** Another signature of the right form. */
const otherSignature = (body: Json): string =>
  String(compliance(body).signature).replace(/..$/, (end) => (end === '01' ? '02' : '01'))

const lookUp = (
  caughtBy: string,
  mistake: string,
  change: (body: Json) => Json,
  rest: Partial<Mutation> = {},
): Mutation =>
  own(
    caughtBy,
    mistake,
    json((call) => atLookup(call) && !isSigned(call), change),
    rest,
  )

export const ownMutations: readonly Mutation[] = [
  lookUp('lnurl.lookup', 'sends minSendable above maxSendable', (body) => ({
    ...body,
    minSendable: Number(body.maxSendable) + 1,
  })),
  lookUp('lnurl.metadata', 'leaves text/identifier out', (body) => ({ ...body, metadata: '[["text/plain","Pay"]]' })),
  own(
    'lnurl.unknown',
    'answers an unknown name with a page',
    answers(atLookup, (given) => (given.status === 404 ? answer(404, '<h1>Not found</h1>') : given)),
  ),
  own(
    'lnurl.pay',
    'creates the invoice for another amount',
    (next) => (call) =>
      next(atPlainPay(call) ? { ...call, url: call.url.replace('amount=100000', 'amount=101000') } : call),
  ),
  own(
    'lnurl.bounds',
    'creates invoices for any amount',
    neverRefuses(atPlainPay, () => true),
  ),
  own(
    'uma.keys',
    'serves no UMA keys',
    instead(atKeys, () => jsonAnswer(404, { status: 'ERROR', reason: 'not found' })),
  ),
  own(
    'uma.version',
    'answers an unknown version with 400',
    answers(atLookup, (given) => (given.status === 412 ? { ...given, status: 400 } : given)),
  ),
  own(
    'uma.incomplete',
    'treats an incomplete lookup as plain LNURL',
    (next) => (call) =>
      next(
        atLookup(call) && queryOf(call).has('nonce') && !isSigned(call)
          ? { ...call, url: pathOf(call).replace('%24', '') }
          : call,
      ),
  ),
  own(
    'uma.lookup',
    'signs another text',
    json(
      (call) => atLookup(call) && isSigned(call),
      (body) => ({ ...body, compliance: { ...compliance(body), signature: otherSignature(body) } }),
    ),
  ),
  own(
    'uma.wrong-signature',
    'does not verify signatures',
    neverRefuses(atSigned, (call, isRepeated) => !isRepeated && !isOld(call)),
  ),
  own(
    'uma.repeated-nonce',
    'does not store nonces',
    neverRefuses(atSigned, (_call, isRepeated) => isRepeated),
  ),
  own('uma.old-timestamp', 'accepts a timestamp of any age', neverRefuses(atSigned, isOld)),
  own(
    'uma.pay-request',
    'sends the amount in whole units',
    json(atUmaPay, (body) => ({ ...body, converted: { ...(body.converted as Json), amount: 1 } })),
  ),
  own(
    'uma.pay-request-signature',
    'signs another text in its answer',
    json(atUmaPay, (body) => {
      const payee = body.payeeData as Json
      return { ...body, payeeData: { ...payee, compliance: { ...compliance(body), signature: otherSignature(body) } } }
    }),
  ),
  own(
    'uma.pay-request-sending',
    'adds a fee to a locked amount',
    (next) => (call) =>
      next(atUmaPay(call) ? { ...call, body: call.body.replace('"amount":"1000000"', '"amount":"1001000"') } : call),
  ),
  own(
    'uma.pay-request-bounds',
    'accepts a negative amount',
    neverRefuses(atUmaPay, (call) => String(bodyOf(call)?.amount).startsWith('-')),
  ),
  own(
    'login.default-currency',
    'redirects with the second currency of /info',
    answers(
      (call) => atLogin(call) || call.url.startsWith('/api/auth'),
      (given) => {
        const location = given.headers.get('location')
        if (location?.includes('currency=') !== true) return given
        const url = new URL(location)
        url.searchParams.set('currency', JSON.stringify({ code: 'EUR', symbol: '€', name: 'Euro', decimals: 2 }))
        return withHeader(given, 'location', url.href)
      },
    ),
  ),
  own(
    'budget.every-direction',
    'has no rate to SAT',
    instead(
      (call) =>
        at('/budget_estimate')(call) &&
        queryOf(call).get('budget_currency_code') === 'SAT' &&
        queryOf(call).get('sending_currency_code') !== 'SAT',
      () => jsonAnswer(400, { code: 'OTHER', message: 'No rate' }),
    ),
  ),
  own(
    'pay-invoice.total',
    'leaves the total out',
    json(at('/payments/bolt11'), ({ total_budget_currency_amount: _total, ...body }) => body),
  ),
  ...(['/payments/keysend', '/payments/lud16'] as const).map((path) =>
    own(
      path === '/payments/lud16' ? 'pay-to-address.total' : 'keysend.total',
      `leaves the total of ${path} out`,
      json(at(path), ({ total_budget_currency_amount: _total, ...body }) => body),
    ),
  ),
  own(
    'execute-quote.total',
    'reports three times the total',
    json(at(/^\/quote\/[0-9a-f]{64}$/, 'POST'), (body) => ({
      ...body,
      total_budget_currency_amount: Number(body.total_budget_currency_amount) * 3,
    })),
  ),
  own(
    'pay-invoice.insufficient',
    'answers OTHER to a payment above the balance',
    errors(at('/payments/bolt11'), (body) => ({
      ...body,
      code: body.code === 'INSUFFICIENT_BALANCE' ? 'OTHER' : body.code,
    })),
  ),
  own('fetch-quote.unique', 'returns the same quote for the same terms', (next) => {
    const made = new Map<string, Answer>()
    return async (call) => {
      if (!at('/quote/lud16')(call) || call.method !== 'GET') return next(call)
      const given = made.get(call.url) ?? (await next(call))
      if (given.status === 200) made.set(call.url, given)
      return given
    }
  }),
  own(
    'balance.given-currency',
    'answers in the default currency',
    (next) => (call) =>
      next(
        at('/balance')(call) && queryOf(call).get('currency_code') !== 'ZZZ' ? { ...call, url: pathOf(call) } : call,
      ),
  ),
]
