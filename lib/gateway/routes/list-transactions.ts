import { listTransactions } from '../../transactions/queries'
import { commandRoute } from '../route'
import { TransactionsQuery, TransactionsReply } from '../schemas'
import { fitPage } from '../transaction-page'
import { toTransactionReply } from '../transaction-reply'

const DEFAULT_LIMIT = 20

/** `GET /transactions`: newest first by created_at, then id, then direction. A page ends by count and by size. */
export const listTransactionsRoute = commandRoute({
  command: 'list_transactions',
  accepts: ['connection'],
  query: TransactionsQuery,
  reply: TransactionsReply,
  run: async ({ deps, caller, query }) => {
    const transactions = await listTransactions(deps, caller.username, {
      fromSeconds: query.from,
      untilSeconds: query.until,
      limit: query.limit ?? DEFAULT_LIMIT,
      offset: query.offset ?? 0,
      unpaid: query.unpaid === 'true',
      type: query.type,
    })
    return { transactions: fitPage(transactions.map(toTransactionReply)) }
  },
})
