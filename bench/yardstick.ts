import { randomUUID } from 'node:crypto'
import type { Database } from '@/lib/db/database'
import type { OpenInvoice, Person } from './people'

/**
 * The same payment as most programs of this kind make it: one of Prisma's interactive transactions, in which each thing is
 * read, looked at, and written by a query of its own. Without HTTP, tokens and the decoding of the invoice. The tables and
 * their guards are ours, so that what it leaves behind is as good.
 */
export async function payAsUsual(
  db: Database,
  rateSnapshotId: string,
  { payer, connectionId, invoice }: { payer: Person; connectionId: string; invoice: OpenInvoice },
): Promise<void> {
  await db.prisma.$transaction(async (tx) => {
    const connection = await tx.connection.findFirst({ where: { id: connectionId, revokedAt: null } })
    const user = await tx.user.findUnique({ where: { id: payer.username } })
    if (connection === null || user?.status !== 'active') throw new Error('no such caller')
    const bill = await tx.invoice.findUnique({ where: { paymentHash: invoice.paymentHash } })
    if (bill === null || bill.settledAt !== null || bill.amountMsats === null) throw new Error('cannot be paid')
    const before = await tx.payment.findFirst({ where: { paymentHash: invoice.paymentHash, state: { not: 'failed' } } })
    if (before !== null) throw new Error('paid before')
    const wallet = await tx.wallet.findFirst({ where: { userId: payer.username }, orderBy: { position: 'asc' } })
    if (wallet === null) throw new Error('no wallet')
    const from = await tx.ledgerAccount.findFirst({ where: { walletId: wallet.id, kind: 'available' } })
    const to = await tx.ledgerAccount.findFirst({ where: { walletId: bill.walletId, kind: 'available' } })
    if (from === null || to === null || (from.balance ?? 0n) < bill.amountMsats) throw new Error('not enough')
    const payment = await tx.payment.create({
      data: {
        paymentHash: bill.paymentHash,
        invoice: bill.invoice,
        userId: payer.username,
        connectionId,
        walletId: wallet.id,
        amountMsats: bill.amountMsats,
        debit: bill.amountMsats,
        rateSnapshotId,
        description: bill.description,
        descriptionHash: bill.descriptionHash,
        state: 'succeeded',
        preimage: bill.preimage,
        expiresAt: bill.expiresAt,
        settledAt: new Date(),
      },
    })
    const entry = await tx.journalEntry.create({
      data: { kind: 'payment', idempotencyKey: randomUUID(), contentHash: '', paymentId: payment.id },
    })
    const lines = [
      { account: from, amount: -bill.amountMsats },
      { account: to, amount: bill.amountMsats },
    ].toSorted((a, b) => (a.account.id < b.account.id ? -1 : 1))
    for (const { account, amount } of lines)
      await tx.posting.create({
        data: { entryId: entry.id, accountId: account.id, currencyCode: account.currencyCode, amount },
      })
    await tx.invoice.update({
      where: { id: bill.id },
      data: { settledAt: new Date(), receivedMsats: bill.amountMsats, credited: bill.amountMsats },
    })
  })
}
