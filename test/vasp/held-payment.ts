import { randomBytes } from 'node:crypto'
import type { CurrencyCode } from '@/lib/money/currencies'
import { walletOf } from './money'
import type { TestVasp } from './vasp'

/** Creates a pending payment to another node: its row and its hold, in one transaction. */
export async function holdForPayment(
  vasp: TestVasp,
  username: string,
  code: CurrencyCode,
  amount: bigint,
): Promise<{ readonly paymentHash: string; readonly id: bigint }> {
  const { db, rates } = vasp.app
  const { walletId } = await walletOf(db, username, code)
  const paymentHash = randomBytes(32).toString('hex')
  const text = `do $held$ declare new_id bigint; begin
    insert into payments (payment_hash, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state)
      values ('${paymentHash}', '${username}', ${walletId}, 1000, ${amount}, '${rates.current().snapshotId}', 'held') returning id into new_id;
    perform post_entry('hold', 'hold:' || new_id, array[a.id, h.id], array[${-amount}, ${amount}], new_id)
      from ledger_accounts a, ledger_accounts h
      where a.wallet_id = ${walletId} and a.kind = 'available' and h.wallet_id = ${walletId} and h.kind = 'held';
    end $held$`
  await db.query({ name: `hold_${paymentHash.slice(0, 20)}`, text })
  const [row] = await db.query<{ id: bigint }>(
    { name: 'test_held_payment', text: `select id from payments where payment_hash = $1` },
    [paymentHash],
  )
  if (row === undefined) throw new Error('the payment was not created')
  return { paymentHash, id: row.id }
}

/** Fails the payment and releases its hold. */
export async function releasePayment(vasp: TestVasp, id: bigint): Promise<void> {
  const text = `do $released$ begin
    update payments set state = 'failed' where id = ${id};
    perform post_entry('release', 'release:' || p.id, array[a.id, h.id], array[p.debit, -p.debit], p.id)
      from payments p, ledger_accounts a, ledger_accounts h
      where p.id = ${id} and a.wallet_id = p.wallet_id and a.kind = 'available' and h.wallet_id = p.wallet_id and h.kind = 'held';
    end $released$`
  await vasp.app.db.query({ name: `release_${id}`, text })
}
