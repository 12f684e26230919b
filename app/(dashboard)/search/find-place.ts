import type { Application } from '@/lib/backend/application'
import { findConnectionCard } from '@/lib/connections/queries'
import { eventReaderOf, findEventOfRequest } from '@/lib/events/queries'
import { findInvoice } from '@/lib/invoices/queries'
import { decodeInvoice } from '@/lib/lightning/bolt11'
import { payableIn } from '@/lib/payments/pasted'
import { paymentState } from '@/lib/payments/queries'
import { isAddress } from '@/lib/quotes/resolve-receiver'
import { LONGEST_TEXT } from '@/lib/wallets/activity-filter'

/** As the page "Send" reads: twice the longest invoice. */
export const LONGEST_SEARCH = 4_000

/** What a pasted text is meant as. `unreadable`: too long for a text of the activity, and nothing else. */
export interface Sought {
  readonly kind: 'address' | 'invoice' | 'uma-invoice' | 'hash' | 'id' | 'text' | 'unreadable'
  /** In the form in which it is looked up. */
  readonly text: string
}

interface Search {
  /** For the field. */
  readonly typed: string
  /** Undefined when nothing was typed. */
  readonly sought: Sought | undefined
}

/** Reads what a stranger may have put into the address of the search. */
export function readSearch(value: string | undefined): Search {
  const typed = (value ?? '')
    .slice(0, LONGEST_SEARCH)
    .replaceAll(/[\0\p{Cs}]/gu, '')
    .trim()
  if (typed === '') return { typed, sought: undefined }
  const isCut = value !== undefined && value.length > LONGEST_SEARCH
  return { typed, sought: isCut ? { kind: 'unreadable', text: typed } : soughtIn(typed) }
}

function soughtIn(typed: string): Sought {
  const payable = payableIn(typed)
  if (/^uma1[a-z0-9]{20,}$/i.test(payable)) return { kind: 'uma-invoice', text: payable }
  // LNURLs and offers too: the page "Send" says what is wrong with them.
  if (/^ln[a-z0-9]{20,}$/i.test(payable)) return { kind: 'invoice', text: payable }
  if (isAddress(payable)) return { kind: 'address', text: payable }
  const lower = typed.toLowerCase()
  if (/^[0-9a-f]{64}$/.test(lower)) return { kind: 'hash', text: lower }
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(lower)) return { kind: 'id', text: lower }
  return { kind: typed.length > LONGEST_TEXT ? 'unreadable' : 'text', text: typed }
}

/**
 * The address of the page for what was sought; undefined when the user has no such object. Objects of other users are not looked at.
 * @param withWire whether the user may see the pages of the sandbox tools.
 */
export async function findPlace(
  app: Pick<Application, 'db' | 'node' | 'settings' | 'umaInvoices'>,
  username: string,
  { kind, text }: Sought,
  withWire: boolean,
): Promise<string | undefined> {
  const { db, umaInvoices } = app
  const send = `/wallets/send?${new URLSearchParams({ invoice: text })}`
  switch (kind) {
    case 'address':
      return send
    case 'text':
      return `/activity?${new URLSearchParams({ text })}`
    case 'invoice': {
      const decoding = decodeInvoice(text, app.node.identity.network)
      return (decoding.ok ? await placeOfInvoice(app, username, decoding.invoice.paymentHash) : undefined) ?? send
    }
    case 'uma-invoice': {
      const uuid = umaInvoices?.uuidIn(text)
      return (uuid === undefined ? undefined : await placeOfUmaInvoice(app, username, uuid)) ?? send
    }
    case 'hash':
      return (await paymentState(db, username, text)) === undefined
        ? placeOfInvoice(app, username, text)
        : `/wallets/sent/${text}`
    case 'id': {
      if ((await findConnectionCard({ db }, username, text)) !== undefined) return `/connections/${text}`
      const event = withWire ? await findEventOfRequest(app, eventReaderOf(app.settings, username), text) : undefined
      return event === undefined ? placeOfUmaInvoice(app, username, text) : `/developers/wire/${event}`
    }
    case 'unreadable':
      return undefined
  }
}

async function placeOfInvoice(
  { db }: Pick<Application, 'db'>,
  username: string,
  hash: string,
): Promise<string | undefined> {
  return (await findInvoice(db, username, hash)) === null ? undefined : `/invoices/${hash}`
}

async function placeOfUmaInvoice(
  { db, umaInvoices }: Pick<Application, 'db' | 'umaInvoices'>,
  username: string,
  uuid: string,
): Promise<string | undefined> {
  const found = await umaInvoices?.findUmaInvoice(db, username, uuid)
  return found == null ? undefined : `/invoices/uma/${uuid}`
}
