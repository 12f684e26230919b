import { createHash } from 'node:crypto'
import { readBolt11, type Bolt11 } from '../bolt11.ts'
import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkIs, checkModel, checkRefusal, checkRefused, checkSuccess, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { nowSeconds } from '../jwt.ts'
import { TransactionModel, TransactionsModel, type Transaction } from '../models.ts'
import { API, HISTORY, REASONS, SPEC } from '../sentences.ts'
import { randomHex } from '../session.ts'
import type { UserName } from '../sign-in.ts'
import { implementedCase } from './implemented.ts'
import { refuses } from './probes.ts'

const making = caseGroup(API, ['make-invoice.reply'])
const lookup = caseGroup(API, ['lookup-invoice.reply'])
const history = caseGroup(HISTORY, ['transactions.reply'])

/** One hundred satoshis: the amount of every invoice and payment of the kit. */
export const AMOUNT_MSATS = 100_000
/** NIP-44 pads a larger page beyond the 64 kB limit of a relay. */
const MAX_PAGE_BYTES = 40_960

export interface InvoiceRequest {
  readonly amount?: unknown
  readonly description?: string | null
  readonly description_hash?: string | null
  readonly expiry?: number | null
}

const BAD_BODIES = [
  'not JSON',
  '',
  '[]',
  { amount: AMOUNT_MSATS, expiry: 0 },
  { amount: AMOUNT_MSATS, description_hash: 'abc' },
]

const post = (context: CaseContext, body: unknown): Promise<Reply> =>
  context.api({ method: 'POST', path: '/invoice', body })

/** Creates an invoice as a user. */
export async function makeInvoice(
  context: CaseContext,
  given: InvoiceRequest = {},
  user: UserName = 'first',
): Promise<Transaction> {
  const body = { amount: AMOUNT_MSATS, description: null, description_hash: null, expiry: null, ...given }
  const token = await context.connectionToken(user)
  return checkModel(
    await context.api({ method: 'POST', path: '/invoice', body, token }),
    TransactionModel,
    'POST /invoice',
  )
}

/** The parsed invoice of a reply. */
export function readInvoice({ invoice }: Transaction): Bolt11 {
  const read = readBolt11(invoice ?? '')
  check(read !== undefined, `invoice is ${show(invoice)}, which is not a BOLT-11 invoice.`)
  return read
}

export const makeInvoiceCases: readonly ConformanceCase[] = [
  implementedCase('make_invoice'),
  making.gateway('make-invoice.reply', 'the gateway can read POST /invoice, and send null for optional fields', {
    source: REASONS.model,
    advice:
      'Treat null as absent. Answer with a Transaction: type, payment_hash, amount in millisatoshis and created_at are required.',
    dependsOn: ['make-invoice.implemented'],
    run: (context) => makeInvoice(context),
  }),
  making.gateway('make-invoice.fields', 'the invoice is incoming and has the requested amount', {
    source: 'amount is in millisatoshis in the request and in the answer.',
    advice: 'Answer with type incoming and the amount in millisatoshis.',
    async run(context) {
      const { type, amount } = await makeInvoice(context)
      checkIs('type', type, 'incoming')
      checkIs('amount', amount, AMOUNT_MSATS)
    },
  }),
  making.must('make-invoice.bolt11', 'the invoice is BOLT-11, with the amount and the payment hash', {
    source: SPEC.createsInvoice,
    advice: 'Answer with the invoice text in invoice, for this amount, with the payment hash of the reply.',
    async run(context) {
      const created = await makeInvoice(context)
      const { amountMsats, paymentHash } = readInvoice(created)
      check(
        amountMsats === BigInt(AMOUNT_MSATS),
        `The invoice asks for ${amountMsats} msats instead of ${AMOUNT_MSATS}.`,
      )
      check(
        paymentHash === created.payment_hash.toLowerCase(),
        'The payment hash of the invoice differs from payment_hash.',
      )
    },
  }),
  making.should('make-invoice.description', 'the invoice carries the description', {
    source: ['BOLT-11, d', 'The payer reads the description in the invoice.'],
    advice: 'Put description into the invoice and into the reply.',
    dependsOn: ['make-invoice.bolt11'],
    async run(context) {
      const description = 'Tea for 2, £3 ☕'
      const created = await makeInvoice(context, { description })
      const inInvoice = readInvoice(created).description
      check(inInvoice === description, `The description in the invoice is ${show(inInvoice)}.`)
      check(created.description === description, `The description in the reply is ${show(created.description)}.`)
    },
  }),
  making.should('make-invoice.description-hash', 'the invoice carries the description hash', {
    source: ['BOLT-11, h', 'The payer compares the hash with the text that it stands for.'],
    advice: 'Put description_hash into the field h of the invoice.',
    dependsOn: ['make-invoice.bolt11'],
    async run(context) {
      const hash = createHash('sha256').update('a long text').digest('hex')
      const inInvoice = readInvoice(await makeInvoice(context, { description_hash: hash })).descriptionHash
      check(inInvoice === hash, `The description hash in the invoice is ${show(inInvoice)}.`)
    },
  }),
  making.should('make-invoice.expiry', 'the invoice expires after the requested seconds', {
    source: ['BOLT-11, x', 'expiry is in seconds.'],
    advice: 'Set the expiry of the invoice, and expires_at to created_at plus expiry.',
    dependsOn: ['make-invoice.bolt11'],
    async run(context) {
      const created = await makeInvoice(context, { expiry: 777 })
      const { expirySeconds } = readInvoice(created)
      check(expirySeconds === 777, `The invoice expires after ${expirySeconds} seconds instead of 777.`)
      const lives = created.expires_at == null ? undefined : created.expires_at - created.created_at
      check(lives === undefined || Math.abs(lives - 777) <= 1, `expires_at is ${lives} seconds after created_at.`)
    },
  }),
  making.should('make-invoice.created-at', 'created_at is now, in seconds', {
    source: 'Apps sort by created_at. Milliseconds put an invoice into another millennium.',
    advice: 'Send seconds since 1970.',
    async run(context) {
      const { created_at: createdAt } = await makeInvoice(context)
      check(Math.abs(createdAt - nowSeconds()) <= 60, `created_at is ${createdAt}, and now is ${nowSeconds()}.`)
    },
  }),
  making.gateway('make-invoice.unique', 'two invoices have different payment hashes', {
    source: 'The gateway and payers distinguish invoices by their payment hash.',
    advice: 'Generate a new preimage for each invoice.',
    async run(context) {
      const [first, second] = [await makeInvoice(context), await makeInvoice(context)]
      check(first.payment_hash !== second.payment_hash, 'Both invoices have the same payment hash.')
    },
  }),
  making.should('make-invoice.no-preimage', 'the reply for an unpaid invoice has no preimage', {
    source: ['BOLT-11', 'The preimage is the proof of payment. An app that has it can claim a payment in transit.'],
    advice: 'Answer with preimage null until the invoice is paid.',
    async run(context) {
      const { preimage } = await makeInvoice(context)
      check(preimage == null || preimage === '', 'The reply has the preimage.')
    },
  }),
  making.should('make-invoice.unknown-parameter', 'ignores a field that it does not know', {
    source: 'A newer gateway may send fields that this VASP does not know.',
    advice: 'Ignore unknown fields.',
    async run(context) {
      const body = { amount: AMOUNT_MSATS, metadata: { a: 1 }, conformance: true }
      checkSuccess(await context.api({ method: 'POST', path: '/invoice', body }), 'POST /invoice with unknown fields')
    },
  }),
  making.should('make-invoice.bad-amount', 'refuses amounts that are not positive integers', {
    source: 'amount is an integer of millisatoshis.',
    advice: 'Accept integers of 1 or more. Answer 400 to everything else.',
    run: refuses('The amount', [0, -1, 1.5, '100000', null, true, [], 1e30], (context, amount) =>
      post(context, { amount }),
    ),
  }),
  making.should('make-invoice.bad-input', 'refuses other wrong input with 400', {
    source: REASONS.wrongRequest,
    advice: 'Answer 400 to a body that is not JSON, to an expiry below 1 and to a hash that is not 32 bytes of hex.',
    run: refuses('The body', BAD_BODIES, post),
  }),
]

function lookUp(context: CaseContext, hash: string, token?: string) {
  return context.api({ path: `/invoices/${hash}`, ...(token === undefined ? {} : { token }) })
}

export const lookupInvoiceCases: readonly ConformanceCase[] = [
  implementedCase('lookup_invoice'),
  lookup.must('lookup-invoice.reply', 'finds an invoice by its payment hash', {
    source: SPEC.paymentStatus,
    advice: 'Answer with the same Transaction as POST /invoice.',
    dependsOn: ['lookup-invoice.implemented', 'make-invoice.reply'],
    async run(context) {
      const { payment_hash: hash, invoice } = await makeInvoice(context)
      const found = checkModel(await lookUp(context, hash), TransactionModel, 'GET /invoices/{payment_hash}')
      checkIs('payment_hash', found.payment_hash, hash)
      checkIs('amount', found.amount, AMOUNT_MSATS)
      check(
        found.invoice == null || found.invoice === invoice,
        'invoice differs from the one that POST /invoice returned.',
      )
    },
  }),
  lookup.must('lookup-invoice.unpaid', 'an unpaid invoice has no settled_at and no preimage', {
    source: SPEC.paymentStatus,
    advice: 'Answer with settled_at and preimage null until the invoice is paid: to apps, settled_at means paid.',
    async run(context) {
      const { payment_hash: hash } = await makeInvoice(context)
      const found = checkModel(await lookUp(context, hash), TransactionModel, 'GET /invoices/{payment_hash}')
      check(found.settled_at == null, `settled_at is ${show(found.settled_at)}.`)
      check(found.preimage == null || found.preimage === '', 'The reply has the preimage.')
    },
  }),
  lookup.gateway('lookup-invoice.unknown', 'answers NOT_FOUND to a hash that it does not know', {
    source: REASONS.passedOn,
    advice: 'Answer 404 with {"code":"NOT_FOUND","message": …}.',
    async run(context) {
      const reply = await lookUp(context, randomHex(32))
      check(reply.status === 404, `An unknown hash was answered with ${reply.status} instead of 404.`)
      checkRefusal(reply, 'An unknown hash', ['NOT_FOUND'])
    },
  }),
  lookup.should('lookup-invoice.malformed', 'refuses a text that is not a hash', {
    source: REASONS.wrongRequest,
    advice: 'Answer 400 or 404 to everything that is not 64 hex digits.',
    run: refuses('The hash', ['xyz', 'ab', '%00', 'a'.repeat(500), "'%20or%201=1"], (context, hash) =>
      lookUp(context, hash),
    ),
  }),
  lookup.must('lookup-invoice.other-user', "refuses another user's invoice", {
    source: SPEC.forThatUser,
    advice: 'Search only the invoices of the user.',
    needs: ['second-user'],
    async run(context) {
      const { payment_hash: hash } = await makeInvoice(context)
      checkRefused(await lookUp(context, hash, await context.connectionToken('second')), 'The invoice of another user')
    },
  }),
]

async function list(context: CaseContext, query = '', token?: string): Promise<Transaction[]> {
  const path = `/transactions${query}`
  return checkModel(
    await context.api({ path, ...(token === undefined ? {} : { token }) }),
    TransactionsModel,
    `GET ${path}`,
  ).transactions
}

export const transactionCases: readonly ConformanceCase[] = [
  implementedCase('list_transactions'),
  history.gateway('transactions.reply', 'the gateway can read GET /transactions', {
    source: REASONS.model,
    advice: 'Answer with {"transactions": [Transaction, …]}, an empty list when there are none.',
    dependsOn: ['transactions.implemented'],
    run: (context) => list(context),
  }),
  history.must('transactions.other-user', 'the history has only the entries of the user', {
    source: SPEC.forThatUser,
    advice:
      'Search only the entries of the user of the token: an entry has its preimage, which is the proof of payment.',
    needs: ['second-user', 'make_invoice'],
    async run(context) {
      const token = await context.connectionToken('second')
      const paid = (await list(context, '?type=outgoing&limit=50')).map((each) => each.payment_hash)
      const { payment_hash: open } = await makeInvoice(context)
      const own = await list(context, '?limit=50', token)
      // One payment between the users is outgoing for the first and incoming for the second.
      const leaked = own.find(
        (each) => each.payment_hash === open || (each.type === 'outgoing' && paid.includes(each.payment_hash)),
      )
      check(leaked === undefined, `The history of the second user has a payment of the first: ${leaked?.payment_hash}.`)
    },
  }),
  history.should('transactions.limit', 'limit bounds the number of entries', {
    source: REASONS.pages,
    advice: 'Read limit from the query.',
    async run(context) {
      const { length } = await list(context, '?limit=1')
      check(length <= 1, `limit=1 was answered with ${length} entries.`)
    },
  }),
  history.should('transactions.offset', 'offset skips entries', {
    source: REASONS.pages,
    advice: 'Read offset from the query, and keep the order of entries stable.',
    async run(context) {
      const all = await list(context, '?limit=3')
      const rest = await list(context, '?limit=2&offset=1')
      const hashes = (entries: readonly Transaction[]): string => entries.map((each) => each.payment_hash).join(' ')
      check(hashes(rest) === hashes(all.slice(1)), 'offset=1 does not begin with the second entry.')
    },
  }),
  history.should('transactions.order', 'the newest entry comes first', {
    source: 'Apps show the first page as the newest entries.',
    advice: 'Sort by created_at, descending.',
    async run(context) {
      const times = (await list(context, '?limit=20')).map((each) => each.created_at)
      for (const [index, time] of times.entries())
        check(index === 0 || (times[index - 1] ?? 0) >= time, `Entry ${index + 1} is newer than entry ${index}.`)
    },
  }),
  history.should('transactions.type', 'type filters by direction', {
    source: 'type is incoming or outgoing.',
    advice: 'Read type from the query.',
    async run(context) {
      for (const type of ['incoming', 'outgoing'])
        check(
          (await list(context, `?type=${type}`)).every((each) => each.type === type),
          `type=${type} returned entries of the other type.`,
        )
    },
  }),
  history.gateway('transactions.gateway-type', 'type is also accepted as the gateway spells it', {
    source: 'The public gateway sends TransactionType.INCOMING and TransactionType.OUTGOING.',
    advice: 'Accept TransactionType.INCOMING as incoming and TransactionType.OUTGOING as outgoing.',
    dependsOn: ['transactions.type'],
    async run(context) {
      for (const type of ['incoming', 'outgoing'] as const) {
        const entries = await list(context, `?type=TransactionType.${type.toUpperCase()}`)
        check(
          entries.every((each) => each.type === type),
          `type=TransactionType.${type.toUpperCase()} returned entries of the other type.`,
        )
      }
    },
  }),
  history.should('transactions.period', 'from and until filter by time', {
    source: 'from and until are in seconds.',
    advice: 'Compare created_at with from and until.',
    async run(context) {
      const future = nowSeconds() + 86_400
      check((await list(context, `?from=${future}`)).length === 0, 'from=tomorrow returned entries.')
      check((await list(context, '?until=1000')).length === 0, 'until=1970 returned entries.')
    },
  }),
  history.gateway('transactions.page-bytes', 'the largest page has at most 40,960 bytes', {
    source: [
      'Limits 5',
      'The answer becomes one relay message. A larger message ends the process of the public gateway.',
    ],
    advice: 'Limit a page by its size as well as by its number of entries.',
    async run(context) {
      const { text } = await context.api({ path: '/transactions?limit=1000' })
      const { length } = Buffer.from(text)
      check(length <= MAX_PAGE_BYTES, `GET /transactions?limit=1000 answered ${length} bytes.`)
    },
  }),
  history.should('transactions.bad-input', 'refuses wrong parameters with 400', {
    source: REASONS.wrongRequest,
    advice: 'Answer 400 to limits, offsets, times and types that cannot be read.',
    run: refuses('The query', ['limit=abc', 'limit=-1', 'offset=-1', 'from=abc', 'type=sideways'], (context, query) =>
      context.api({ path: `/transactions?${query}` }),
    ),
  }),
]
