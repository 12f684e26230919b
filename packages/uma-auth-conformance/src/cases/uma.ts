import { X509Certificate, type KeyObject } from 'node:crypto'
import { readBolt11, type Bolt11 } from '../bolt11.ts'
import { caseGroup, type CaseText, type ConformanceCase } from '../case.ts'
import { check, checkSuccess, fieldsOf, isRecord, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { nowSeconds } from '../jwt.ts'
import { randomHex, withQuery } from '../session.ts'
import { hasUmaSignature, newNonce, readUmaKey, sha256Hex } from '../uma-sender.ts'
import { NotApplicable } from '../verdict.ts'

/** `uma_major_versions` decides whether the VASP speaks UMA. */
async function requireUma({ session, client }: CaseContext): Promise<void> {
  const { uma_major_versions: versions } = fieldsOf(await session.discovery(client))
  if (!Array.isArray(versions) || versions.length === 0) throw new NotApplicable('uma_major_versions is empty')
}

/** The address that the cases pay: the first user's, with its `$`. */
function receiverOf({ session, client }: CaseContext): Promise<string> {
  return session.addressOf(client, 'first')
}

function lookUp(context: CaseContext, name: string, query = ''): Promise<Reply> {
  const url = `${context.target.origin}/.well-known/lnurlp/${encodeURIComponent(name)}`
  return context.send({ url: query === '' ? url : `${url}?${query}` })
}

/** The lookup of the first user by plain LNURL. */
async function plainLookup(context: CaseContext): Promise<Readonly<Record<string, unknown>>> {
  const address = await receiverOf(context)
  const reply = await lookUp(context, address.slice(1, address.indexOf('@')))
  if (fieldsOf(reply).code === 'NON_UMA_LNURL_NOT_SUPPORTED')
    throw new NotApplicable('the VASP does not accept plain LNURL')
  return checkSuccess(reply, 'The lookup')
}

async function signedLookup(context: CaseContext, changes = {}): Promise<Reply> {
  const receiver = await receiverOf(context)
  const name = receiver.slice(0, receiver.indexOf('@'))
  return lookUp(context, name, context.umaSender.lookupQuery(receiver, changes))
}

function withAmount(callback: unknown, amount: number): string {
  check(typeof callback === 'string' && URL.canParse(callback), `callback is ${show(callback)}, which is not a URL.`)
  // LUD-06 adds the amount to the text. URLSearchParams would write the VASP's own query again.
  return withQuery(callback, `amount=${amount}`)
}

/** An LNURL or UMA error: `{status: "ERROR", reason}`. */
function checkError(reply: Reply, what: string): void {
  const fields = fieldsOf(reply)
  check(
    fields.status === 'ERROR' && typeof fields.reason === 'string',
    `${what} answered ${reply.status} ${show(reply.json ?? reply.text)}.`,
  )
}

function readPr(reply: Reply): Bolt11 {
  const { pr } = checkSuccess(reply, 'The pay request')
  const invoice = readBolt11(String(pr))
  check(invoice !== undefined, `pr is ${show(pr)}, which is not a BOLT-11 invoice.`)
  return invoice
}

/** The signing key of the VASP. */
async function signingKeyOf(context: CaseContext): Promise<KeyObject> {
  const url = `${context.target.origin}/.well-known/lnurlpubkey`
  const document = checkSuccess(await context.send({ url }), 'GET /.well-known/lnurlpubkey')
  const [leaf] = Array.isArray(document.signingCertChain) ? document.signingCertChain : []
  const key = typeof leaf === 'string' ? certificateKey(leaf) : readUmaKey(String(document.signingPubKey))
  check(key !== undefined, 'The document has neither signingCertChain nor signingPubKey with a secp256k1 key.')
  return key
}

function certificateKey(hex: string): KeyObject | undefined {
  try {
    return new X509Certificate(Buffer.from(hex, 'hex')).publicKey
  } catch {
    return undefined
  }
}

interface PayRequest {
  readonly amount: string
  readonly convert: string
}

/** Signed lookup and pay request in the receiver's first currency. */
async function payRequest(context: CaseContext, wish: (currency: Readonly<Record<string, unknown>>) => PayRequest) {
  const offer = checkSuccess(await signedLookup(context), 'The signed lookup')
  const [currency] = Array.isArray(offer.currencies) ? (offer.currencies as unknown[]) : []
  check(isRecord(currency), 'The signed lookup has no currencies.')
  const payer = `$conformance@${context.umaSender.domain}`
  const { amount, convert } = wish(currency)
  const reply = await context.send({
    method: 'POST',
    url: String(offer.callback),
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      amount,
      convert,
      payerData: { identifier: payer, name: 'Conformance', email: '', compliance: context.umaSender.compliance(payer) },
      payeeData: { identifier: { mandatory: true }, compliance: { mandatory: true } },
    }),
  })
  return { reply, currency, payer, offer }
}

function minOf({ convertible }: Readonly<Record<string, unknown>>): number {
  return isRecord(convertible) && typeof convertible.min === 'number' ? convertible.min : 1
}

/** In the receiver's currency, well inside its bounds. */
const receivingSide = (currency: Readonly<Record<string, unknown>>): PayRequest => ({
  amount: `${Math.max(minOf(currency), 10)}.${String(currency.code)}`,
  convert: String(currency.code),
})

const uma = caseGroup('', ['login-token.address'])

/** A case that a VASP without UMA versions need not pass. */
function umaCase(id: string, title: string, { needs = [], run, ...text }: CaseText): ConformanceCase {
  return uma.should(id, title, {
    ...text,
    needs: ['uma', ...needs],
    async run(context) {
      await requireUma(context)
      await run(context)
    },
  })
}

/** A case that sends signed requests. */
const signedCase: typeof umaCase = (id, title, text) =>
  umaCase(id, title, { dependsOn: ['uma.lookup'], ...text, needs: ['uma-listener'] })

export const umaCases: readonly ConformanceCase[] = [
  umaCase('lnurl.lookup', 'answers the lookup of a Lightning address', {
    source: ['LUD-16', 'Wallets look an address up at /.well-known/lnurlp/.'],
    advice: 'Answer with tag payRequest, callback, metadata, minSendable and maxSendable in millisatoshis.',
    async run(context) {
      const offer = await plainLookup(context)
      check(offer.tag === 'payRequest', `tag is ${show(offer.tag)}.`)
      const { minSendable: min, maxSendable: max } = offer
      check(Number.isInteger(min) && Number.isInteger(max), `minSendable is ${show(min)} and maxSendable ${show(max)}.`)
      check(
        Number(min) >= 1 && Number(min) <= Number(max),
        `minSendable ${show(min)} is above maxSendable ${show(max)}.`,
      )
      check(typeof offer.callback === 'string' && URL.canParse(offer.callback), `callback is ${show(offer.callback)}.`)
    },
  }),
  umaCase('lnurl.metadata', 'the metadata of the lookup has a text and the address', {
    source: ['LUD-16', 'Wallets show text/plain, and compare text/identifier with the address.'],
    advice: 'Send metadata as a JSON text: an array of pairs, with text/plain and text/identifier.',
    dependsOn: ['lnurl.lookup'],
    async run(context) {
      const { metadata } = await plainLookup(context)
      let pairs: unknown
      try {
        pairs = JSON.parse(String(metadata))
      } catch {
        pairs = undefined
      }
      const kinds = Array.isArray(pairs)
        ? pairs.map((pair: unknown) => (Array.isArray(pair) ? String(pair[0]) : ''))
        : []
      for (const kind of ['text/plain', 'text/identifier']) check(kinds.includes(kind), `metadata has no ${kind}.`)
    },
  }),
  umaCase('lnurl.unknown', 'answers with an error to a name that does not exist', {
    source: ['LUD-06', 'Errors are {"status":"ERROR","reason": text}.'],
    advice: 'Answer 404 with {"status":"ERROR","reason": …}.',
    run: async (context) =>
      checkError(await lookUp(context, `conformance${randomHex(3)}`), 'The lookup of an unknown name'),
  }),
  umaCase('lnurl.pay', 'the invoice has the amount, and the hash of the metadata', {
    source: ['LUD-06', 'The wallet compares amount and description hash before it pays.'],
    advice: 'Create an invoice for exactly the amount, with the SHA-256 of the metadata in field h.',
    dependsOn: ['lnurl.lookup'],
    async run(context) {
      const offer = await plainLookup(context)
      const amount = Math.max(Number(offer.minSendable), 100_000)
      const invoice = readPr(await context.send({ url: withAmount(offer.callback, amount) }))
      check(
        invoice.amountMsats === BigInt(amount),
        `The invoice asks for ${invoice.amountMsats} msats instead of ${amount}.`,
      )
      check(
        invoice.descriptionHash === sha256Hex(String(offer.metadata)),
        'The description hash is not SHA-256 of the metadata.',
      )
    },
  }),
  umaCase('lnurl.bounds', 'refuses amounts outside minSendable and maxSendable', {
    source: ['LUD-06', 'An amount outside the bounds cannot be credited.'],
    advice: 'Answer with {"status":"ERROR","reason": …}.',
    dependsOn: ['lnurl.lookup'],
    async run(context) {
      const offer = await plainLookup(context)
      for (const amount of [Number(offer.minSendable) - 1, Number(offer.maxSendable) + 1, -1])
        checkError(await context.send({ url: withAmount(offer.callback, amount) }), `The amount ${amount}`)
    },
  }),
  umaCase('uma.keys', 'serves its UMA keys', {
    source: ['UMAD-02', 'The other VASP verifies signatures with these keys.'],
    advice: 'Serve signingCertChain or signingPubKey, and the same for encryption, at /.well-known/lnurlpubkey.',
    run: (context) => signingKeyOf(context),
  }),
  umaCase('uma.version', 'answers 412 to a version that it does not support', {
    source: ['UMAD-08', 'The sender reads supportedMajorVersions and tries again.'],
    advice:
      'Answer 412 with {"status":"ERROR","code":"UNSUPPORTED_UMA_VERSION","supportedMajorVersions":[…]} before other checks.',
    async run(context) {
      const address = await receiverOf(context)
      const reply = await lookUp(context, address.slice(0, address.indexOf('@')), 'umaVersion=99.0')
      check(reply.status === 412, `Version 99.0 was answered with ${reply.status} instead of 412.`)
      checkError(reply, 'Version 99.0')
      const { supportedMajorVersions } = fieldsOf(reply)
      check(Array.isArray(supportedMajorVersions), `supportedMajorVersions is ${show(supportedMajorVersions)}.`)
    },
  }),
  umaCase('uma.incomplete', 'refuses a lookup with only some of the UMA parameters', {
    source: ['UMAD-03', 'A UMA lookup has all of its parameters. A plain lookup has none of them.'],
    advice: 'Answer 400 with the code MISSING_REQUIRED_UMA_PARAMETERS.',
    async run(context) {
      const address = await receiverOf(context)
      const query = `umaVersion=1.0&nonce=${newNonce()}&timestamp=${nowSeconds()}`
      const reply = await lookUp(context, address.slice(0, address.indexOf('@')), query)
      check(reply.status === 400, `The lookup was answered with ${reply.status} instead of 400.`)
      checkError(reply, 'The lookup without a signature')
    },
  }),
  signedCase('uma.lookup', 'answers a signed lookup with currencies and a signature', {
    source: ['UMAD-04', 'The signature covers receiverIdentifier, signatureNonce and signatureTimestamp.'],
    advice: 'Sign receiverIdentifier|signatureNonce|signatureTimestamp with the key of /.well-known/lnurlpubkey.',
    dependsOn: ['uma.keys'],
    async run(context) {
      const offer = checkSuccess(await signedLookup(context), 'The signed lookup')
      for (const field of ['callback', 'umaVersion', 'currencies', 'payerData', 'compliance'])
        check(offer[field] !== undefined, `${field} is missing.`)
      const compliance = isRecord(offer.compliance) ? offer.compliance : {}
      const { receiverIdentifier, signatureNonce, signatureTimestamp, signature } = compliance
      const signed = [receiverIdentifier, signatureNonce, signatureTimestamp].map(String).join('|')
      check(
        hasUmaSignature(signed, String(signature), await signingKeyOf(context)),
        'The signature of the answer is not valid.',
      )
    },
  }),
  signedCase('uma.wrong-signature', 'refuses a lookup with a wrong signature', {
    source: ['UMAD-03', 'The signature proves which VASP asks.'],
    advice: 'Answer 401 with the code INVALID_SIGNATURE.',
    async run(context) {
      const own = new URLSearchParams(context.umaSender.lookupQuery('$other@other.example')).get('signature') ?? ''
      const reply = await signedLookup(context, { signature: own })
      check(reply.status === 401 || reply.status === 400, `A wrong signature was answered with ${reply.status}.`)
      checkError(reply, 'A wrong signature')
    },
  }),
  signedCase('uma.repeated-nonce', 'refuses a nonce that it has seen', {
    source: ['UMAD-03', 'A request with a repeated nonce is a replay.'],
    advice: 'Store nonces for twice the accepted time, and answer 400 with the code INVALID_NONCE.',
    async run(context) {
      const nonce = newNonce()
      checkSuccess(await signedLookup(context, { nonce }), 'The signed lookup')
      checkError(await signedLookup(context, { nonce }), 'The repeated nonce')
    },
  }),
  signedCase('uma.old-timestamp', 'refuses a timestamp from last month', {
    source: ['UMAD-03', 'An old request may be a replay.'],
    advice: 'Accept timestamps within a few minutes of now, and answer 400 with the code INVALID_TIMESTAMP.',
    async run(context) {
      const timestamp = nowSeconds() - 2_592_000
      checkError(await signedLookup(context, { timestamp }), 'A timestamp from last month')
    },
  }),
  signedCase('uma.pay-request', 'a pay request is answered with an invoice for the converted amount', {
    source: ['UMAD-06', 'The invoice asks for amount times multiplier, plus the fee.'],
    advice:
      'Answer with pr and converted {amount, currencyCode, multiplier, decimals, fee}, where fee is in millisatoshis.',
    async run(context) {
      const { reply } = await payRequest(context, receivingSide)
      const invoice = readPr(reply)
      const converted = fieldsOf(reply).converted
      check(isRecord(converted), 'converted is missing.')
      const expected = Number(converted.amount) * Number(converted.multiplier) + Number(converted.fee)
      const off = Math.abs(Number(invoice.amountMsats) - expected)
      check(
        off <= 1,
        `The invoice asks for ${invoice.amountMsats} msats, and amount × multiplier + fee is ${expected}.`,
      )
    },
  }),
  signedCase('uma.pay-request-signature', 'the answer to a pay request is signed', {
    source: ['UMAD-06', 'The signature covers payer, payee, signatureNonce and signatureTimestamp.'],
    advice: 'Sign payer|payee|signatureNonce|signatureTimestamp, and send it as payeeData.compliance.',
    dependsOn: ['uma.pay-request'],
    async run(context) {
      const { reply, payer } = await payRequest(context, receivingSide)
      const { payeeData } = fieldsOf(reply)
      const compliance = isRecord(payeeData) && isRecord(payeeData.compliance) ? payeeData.compliance : {}
      const { signatureNonce, signatureTimestamp, signature } = compliance
      const signed = [payer, await receiverOf(context), signatureNonce, signatureTimestamp].map(String).join('|')
      check(
        hasUmaSignature(signed, String(signature), await signingKeyOf(context)),
        'The signature of the answer is not valid.',
      )
    },
  }),
  signedCase(
    'uma.pay-request-sending',
    'a pay request in millisatoshis is answered with an invoice for exactly that amount',
    {
      source: ['UMAD-05', 'With the sending side locked, the invoice is for the requested amount in millisatoshis.'],
      advice: 'Create the invoice for the requested millisatoshis, and convert what is left after the fee.',
      dependsOn: ['uma.pay-request'],
      async run(context) {
        const { reply } = await payRequest(context, (currency) => ({
          amount: '1000000',
          convert: String(currency.code),
        }))
        const { amountMsats } = readPr(reply)
        check(amountMsats === 1_000_000n, `The invoice asks for ${amountMsats} msats instead of 1000000.`)
      },
    },
  ),
  signedCase('uma.pay-request-bounds', 'refuses amounts that are not positive integers or are outside the bounds', {
    source: ['UMAD-05', 'An amount outside the bounds cannot be credited.'],
    advice: 'Answer 400 with the code AMOUNT_OUT_OF_RANGE or INVALID_INPUT.',
    dependsOn: ['uma.pay-request'],
    async run(context) {
      for (const number of ['0', '-5', '1.5', '999999999999999999']) {
        const { reply } = await payRequest(context, ({ code }) => ({
          amount: `${number}.${String(code)}`,
          convert: String(code),
        }))
        checkError(reply, `The amount ${number}`)
      }
    },
  }),
]
