import { html } from 'hono/html'
import { fieldOf } from '../../lib/web/form-fields'
import type { Html } from '../shared/page'
import type { Places } from './settings'

/** A field of a command's form. Amounts are whole numbers, in the unit that the label names. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly kind: 'text' | 'integer' | 'long' | 'choice'
  /** The initial value of the field. */
  readonly value?: string | ((places: Places) => string)
  /** Choices of a select: the value that is sent and its label. */
  readonly choices?: readonly (readonly [value: string, words: string])[]
}

export interface Command {
  readonly name: string
  readonly title: string
  /** The request in words, for the list of calls. */
  readonly words: string
  readonly fields: readonly Field[]
  readonly pays: boolean
  readonly hint?: (places: Places) => Html
  readonly params: (value: (name: string) => string) => object
}

const text = (name: string, label: string, value?: Field['value']): Field => field('text', name, label, value)
const integer = (name: string, label: string, value?: string): Field => field('integer', name, label, value)
const long = (name: string, label: string): Field => field('long', name, label)
const choice = (name: string, label: string, choices: Field['choices'] & object): Field => ({
  ...field('choice', name, label),
  choices,
})
function field(kind: Field['kind'], name: string, label: string, value?: Field['value']): Field {
  return { name, label, kind, ...(value === undefined ? {} : { value }) }
}

/** The record type in which many apps name the recipient of a keysend; the value is hex. */
const USER_RECORD = 696_969
const TEXT_RECORD = 34_349_334
const hex = (value: string): string => Buffer.from(value).toString('hex')

/** NWC amounts are in millisatoshis; the form takes satoshis. */
const msats = (sats: string): number => Number(sats) * 1_000

function ask(name: string, title: string, words: string): Command {
  return { name, title, words, fields: [], pays: false, params: () => ({}) }
}

export const QUESTIONS: readonly Command[] = [
  ask('get_info', 'Who are you?', 'Get the wallet’s address and commands'),
  ask('get_balance', 'How much is there?', 'Get the balance'),
  ask('get_budget', 'What is left of the budget?', 'Get the remaining budget'),
  {
    name: 'list_transactions',
    title: 'What happened lately?',
    words: 'List the latest payments',
    fields: [integer('limit', 'Number of payments', '10')],
    pays: false,
    params: (value) => ({ limit: Number(value('limit')) }),
  },
]

export const RECEIVING: readonly Command[] = [
  {
    name: 'make_invoice',
    title: 'Create an invoice',
    words: 'Create an invoice',
    fields: [integer('amount', 'Amount in SAT', '500'), text('description', 'Description', 'From the shop')],
    pays: false,
    params: (value) => ({ amount: msats(value('amount')), description: value('description') }),
  },
  {
    name: 'lookup_invoice',
    title: 'Check payment',
    words: 'Check whether an invoice is paid',
    fields: [long('invoice', 'Invoice (lnbcrt…)')],
    pays: false,
    params: (value) => ({ invoice: value('invoice') }),
  },
]

export const PAYING: readonly Command[] = [
  {
    name: 'pay_invoice',
    title: 'Pay an invoice',
    words: 'Pay an invoice',
    fields: [long('invoice', 'Invoice (lnbcrt…)')],
    pays: true,
    hint: fromElsewhere,
    params: (value) => ({ invoice: value('invoice') }),
  },
  {
    name: 'pay_keysend',
    title: 'Pay a node without an invoice',
    words: 'Pay a node by its public key',
    fields: [
      text('pubkey', 'Public key of the node', ({ other }) => other?.nodeKey ?? ''),
      text('person', 'Name of the recipient', 'bob'),
      text('message', 'Message to the recipient', 'Thanks, from the shop'),
      integer('amount', 'Amount in SAT', '10'),
    ],
    pays: true,
    hint: aboutKeysend,
    params: (value) => ({
      pubkey: value('pubkey'),
      amount: msats(value('amount')),
      tlv_records: [
        { type: USER_RECORD, value: hex(value('person')) },
        { type: TEXT_RECORD, value: hex(value('message')) },
      ],
    }),
  },
]

function fromElsewhere({ other }: Places): Html {
  if (other === undefined) return html`From any node that the wallet can reach.`
  return html`An invoice from another wallet operator works too. At
    <a href="${other.url}/wallets/receive?tab=invoice">${other.name}</a>, sign in as Bob, create an invoice, and paste
    its text here. The payment goes from one operator's node to the other's, and the unused part of the fee is returned.`
}

function aboutKeysend({ other }: Places): Html {
  const whose = other === undefined ? '' : html` This is the key of ${other.name}'s node.`
  return html`A keysend needs no invoice: the node's key is enough. A record of type ${USER_RECORD} contains the
  recipient.${whose}`
}

const receiver = (value: (name: string) => string): object => ({ receiver: { lud16: value('receiver') } })

/** The example recipient: a user of another wallet operator if there is one, otherwise of this one. */
const recipient = text(
  'receiver',
  'Address',
  ({ domain, other }) => `$bob@${other === undefined ? domain : new URL(other.url).host}`,
)

/** Payments to an address, across currencies and operators. */
export const TO_ADDRESSES: readonly Command[] = [
  {
    name: 'lookup_user',
    title: 'Look up a recipient',
    words: 'Get the currencies that a recipient accepts',
    fields: [recipient],
    pays: false,
    params: receiver,
  },
  {
    name: 'fetch_quote',
    title: 'Get a quote',
    words: 'Get a price that is valid for a few minutes',
    fields: [
      recipient,
      text('sending_currency_code', 'Currency sent', 'USD'),
      text('receiving_currency_code', 'Currency received', 'SAT'),
      integer('locked_currency_amount', 'Amount in smallest units of the fixed side', '100'),
      choice('locked_currency_side', 'Fixed side', [
        ['sending', 'amount sent'],
        ['receiving', 'amount received'],
      ]),
    ],
    pays: false,
    params: (value) => ({
      ...receiver(value),
      sending_currency_code: value('sending_currency_code'),
      receiving_currency_code: value('receiving_currency_code'),
      locked_currency_amount: Number(value('locked_currency_amount')),
      locked_currency_side: value('locked_currency_side'),
    }),
  },
  {
    name: 'execute_quote',
    title: 'Execute a quote',
    words: 'Pay at the quoted price',
    fields: [text('payment_hash', 'Payment hash of the quote')],
    pays: true,
    params: (value) => ({ payment_hash: value('payment_hash') }),
  },
  {
    name: 'pay_to_address',
    title: 'Pay an address',
    words: 'Look up, quote and pay in one call',
    fields: [
      recipient,
      text('sending_currency_code', 'Currency sent', 'USD'),
      integer('sending_currency_amount', 'Amount sent, in smallest units', '100'),
    ],
    pays: true,
    params: (value) => ({
      ...receiver(value),
      sending_currency_code: value('sending_currency_code'),
      sending_currency_amount: Number(value('sending_currency_amount')),
    }),
  },
]

export const ALL_COMMANDS: readonly Command[] = [...QUESTIONS, ...RECEIVING, ...PAYING, ...TO_ADDRESSES]

const MAX_VALUE_LENGTH = 4_000

/** The request of a filled form, or an error message when a field is invalid. */
export function readForm(command: Command, form: URLSearchParams): { params: object } | { refusal: string } {
  const value = (name: string): string => (fieldOf(form, name) ?? '').trim()
  for (const { name, label, kind, choices } of command.fields) {
    if (value(name) === '') return { refusal: `“${label}” is empty. Nothing was sent.` }
    if (value(name).length > MAX_VALUE_LENGTH) return { refusal: `“${label}” is too long. Nothing was sent.` }
    if (choices !== undefined && !choices.some(([each]) => each === value(name)))
      return { refusal: `“${label}” is not one of the choices. Nothing was sent.` }
    if (kind === 'integer' && !/^[1-9]\d{0,11}$/.test(value(name)))
      return { refusal: `“${label}” must be a whole number above zero. Nothing was sent.` }
  }
  return {
    params: command.params((name) => (name === 'invoice' ? value(name).replace(/^lightning:/i, '') : value(name))),
  }
}
