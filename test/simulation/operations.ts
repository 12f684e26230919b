import { createHash } from 'node:crypto'
import type { Application } from '@/lib/backend/application'
import { readWallets } from '@/lib/ledger/accounts'
import { payInvoice } from '@/lib/payments/pay-invoice'
import { payKeysend } from '@/lib/payments/pay-keysend'
import { awaitResult } from '@/lib/payments/service'
import type { Paid } from '@/lib/payments/types'
import { isVaspError } from '@/lib/platform/errors'
import { exchange } from '@/lib/wallets/service'
import { keysendPreimage, OUR_KEY, REMOTE_KEY, type OwnPaper, type Paper } from './cast'

/** One action of a client, or of another node. Numbers select a user or an invoice, modulo their count. */
export type Operation =
  | { readonly kind: 'pay'; readonly who: number; readonly invoice: number }
  | { readonly kind: 'pay own'; readonly who: number; readonly invoice: number }
  | {
      readonly kind: 'keysend'
      readonly who: number
      readonly preimage: number
      readonly to: number | 'outside'
      readonly key: number | null
    }
  | {
      readonly kind: 'exchange'
      readonly who: number
      readonly back: boolean
      readonly amount: number
      readonly id: number
    }
  | { readonly kind: 'receive'; readonly invoice: number; readonly more: number }

export interface Stage {
  readonly mark: string
  readonly users: readonly string[]
  readonly foreign: readonly Paper[]
  readonly own: readonly OwnPaper[]
}

/** The request, in terms in which the answer can be judged. */
export interface Asked {
  readonly username: string
  readonly hash: string
  readonly invoice: string | null
  readonly amountMsats: bigint
}

export interface Answer {
  readonly asked: Asked | undefined
  /** Undefined: no answer came. */
  readonly result: { readonly paid: Paid } | { readonly status: number; readonly code: string } | 'done' | undefined
}

const OPEN_AMOUNT_MSATS = 450_000n
const KEYSEND_MSATS = 300_000n

/** The request of a payment; undefined for any other operation. */
export function askedBy(stage: Stage, operation: Operation): Asked | undefined {
  switch (operation.kind) {
    case 'pay':
    case 'pay own': {
      const paper = paperOf(stage, operation)
      return {
        username: nameOf(stage, operation.who),
        hash: paper.hash,
        invoice: paper.text,
        amountMsats: paper.amountMsats ?? OPEN_AMOUNT_MSATS,
      }
    }
    case 'keysend': {
      const preimage = keysendPreimage(stage.mark, operation.preimage)
      const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
      return { username: nameOf(stage, operation.who), hash, invoice: null, amountMsats: KEYSEND_MSATS }
    }
    case 'exchange':
    case 'receive':
      return undefined
  }
}

export function nameOf({ users }: Stage, index: number): string {
  return users[index % users.length] ?? ''
}

export function paperOf(
  stage: Stage,
  operation: { readonly kind: 'pay' | 'pay own' | 'receive'; readonly invoice: number },
): Paper {
  const papers = operation.kind === 'pay' ? stage.foreign : stage.own
  const paper = papers[operation.invoice % papers.length]
  if (paper === undefined) throw new Error('there is no invoice to pay')
  return paper
}

/** Carries out one operation through the server's code, as a request does. */
export async function carryOut(app: Application, stage: Stage, operation: Operation): Promise<Paid | 'done'> {
  const request = async (who: number) => {
    const username = nameOf(stage, who)
    return { username, connectionId: null, wallets: await readWallets(app.db, username) }
  }
  switch (operation.kind) {
    case 'pay':
    case 'pay own': {
      const { text, amountMsats } = paperOf(stage, operation)
      const asked = amountMsats === undefined ? OPEN_AMOUNT_MSATS : undefined
      return awaitResult(
        app,
        await payInvoice(app, { ...(await request(operation.who)), invoice: text, amountMsats: asked }),
        'invoice',
      )
    }
    case 'keysend': {
      const { to } = operation
      const records = to === 'outside' ? [] : [{ type: 696_969, value: Buffer.from(nameOf(stage, to)).toString('hex') }]
      const paid = await payKeysend(app, {
        ...(await request(operation.who)),
        amountMsats: KEYSEND_MSATS,
        destination: to === 'outside' ? REMOTE_KEY : OUR_KEY,
        preimage: keysendPreimage(stage.mark, operation.preimage),
        records,
        idempotencyKey: operation.key === null ? null : `key ${operation.key}`,
      })
      return awaitResult(app, paid, 'keysend')
    }
    case 'exchange': {
      const username = nameOf(stage, operation.who)
      const codes = (await readWallets(app.db, username)).map(({ code }) => code)
      const [from = 'SAT', to = 'SAT'] = operation.back ? codes.toReversed() : codes
      const amount = from === 'SAT' ? BigInt(operation.amount) * 10_000n : BigInt(operation.amount)
      await exchange(app, { username, from, to, amount, requestId: `${stage.mark} ${operation.id}` })
      return 'done'
    }
    case 'receive':
      return 'done'
  }
}

/** The answer that the client receives. */
export async function answerOf(asked: Asked | undefined, run: Promise<Paid | 'done'>): Promise<Answer> {
  try {
    const result = await run
    return { asked, result: result === 'done' ? 'done' : { paid: result } }
  } catch (error) {
    if (isVaspError(error)) return { asked, result: { status: error.status, code: error.code } }
    return { asked, result: { status: 500, code: 'INTERNAL' } }
  }
}
