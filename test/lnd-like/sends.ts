import type { Failure, SendOutcome } from '@/lib/lightning/node'

type Final = Exclude<SendOutcome, { kind: 'unknown' }>

/** A send as a row of the adapter's own table. LND itself identifies payments by hash only. */
export interface SendRow {
  readonly sendId: bigint
  readonly paymentHash: string
  /** `begun`: nothing was sent yet. `posted`: the call to LND may have been sent. */
  readonly state: 'begun' | 'posted' | 'ended'
  /** The index of LND's last payment of this hash before ours: this index and lower ones belong to other sends. */
  readonly previousIndex: bigint
  /** LND's index of this send, once it is known. */
  readonly index?: bigint
  readonly outcome?: Final
}

export type SendTable = ReturnType<typeof makeSendTable>

/** Survives a restart of the process, like a table in the database. Each method is one transaction. */
export function makeSendTable() {
  const rows = new Map<bigint, SendRow>()
  const set = (row: SendRow): SendRow => (rows.set(row.sendId, row), row)
  const failed = (failure: Failure): Final => ({ kind: 'failed', failure })

  return {
    async find(sendId: bigint): Promise<SendRow | undefined> {
      return rows.get(sendId)
    },
    /**
     * Stores a send, unless its id is already stored. An earlier send of the hash without an index is either LND's last
     * payment, or given up: a payment that appears later has a higher index, and belongs to the new send.
     */
    async begin(sendId: bigint, paymentHash: string, lastIndex: bigint): Promise<{ row: SendRow; isNew: boolean }> {
      const known = rows.get(sendId)
      if (known !== undefined) return { row: known, isNew: false }
      for (const row of rows.values()) {
        if (row.paymentHash !== paymentHash || row.state === 'ended' || row.index !== undefined) continue
        if (lastIndex > row.previousIndex) set({ ...row, index: lastIndex })
        else set({ ...row, state: 'ended', outcome: failed('never-sent') })
      }
      return { row: set({ sendId, paymentHash, state: 'begun', previousIndex: lastIndex }), isNew: true }
    },
    /** Called right before the call to LND. False when `giveUp` came first. */
    async post(sendId: bigint): Promise<boolean> {
      const row = rows.get(sendId)
      if (row?.state !== 'begun') return false
      set({ ...row, state: 'posted' })
      return true
    },
    /** Permanently refuses a send that has not been sent. This includes an unknown id, so that a late `send` is refused. */
    async giveUp(sendId: bigint, paymentHash: string): Promise<SendRow> {
      const row = rows.get(sendId) ?? { sendId, paymentHash, state: 'begun', previousIndex: 0n }
      return row.state === 'begun' ? set({ ...row, state: 'ended', outcome: failed('never-sent') }) : row
    },
    async adopt(sendId: bigint, index: bigint): Promise<void> {
      const row = rows.get(sendId)
      if (row?.state === 'posted' && row.index === undefined) set({ ...row, index })
    },
    /** Stores the outcome, unless the send has one already. */
    async end(sendId: bigint, outcome: Final): Promise<{ outcome: Final; isNew: boolean }> {
      const row = rows.get(sendId)
      if (row === undefined) throw new Error(`send ${sendId} was never started`)
      if (row.outcome !== undefined) return { outcome: row.outcome, isNew: false }
      set({ ...row, state: 'ended', outcome })
      return { outcome, isNew: true }
    },
  }
}
