import type { Failure, SendOutcome } from '@/lib/lightning/node'

type Final = Exclude<SendOutcome, { kind: 'unknown' }>

/** A send as its node's own table has it. LND itself knows hashes only. */
export interface SendRow {
  readonly sendId: bigint
  readonly paymentHash: string
  /** `begun`: nothing left yet. `posted`: the call to LND may have left. */
  readonly state: 'begun' | 'posted' | 'ended'
  /** LND's last payment of this hash before ours: what has this index or a lower one is another send's. */
  readonly previousIndex: bigint
  /** LND's index of this send, once it is known. */
  readonly index?: bigint
  readonly outcome?: Final
}

export type SendTable = ReturnType<typeof makeSendTable>

/** Survives a restart of the process, as a table in the database does. Each verb is one transaction. */
export function makeSendTable() {
  const rows = new Map<bigint, SendRow>()
  const set = (row: SendRow): SendRow => (rows.set(row.sendId, row), row)
  const failed = (failure: Failure): Final => ({ kind: 'failed', failure })

  return {
    async find(sendId: bigint): Promise<SendRow | undefined> {
      return rows.get(sendId)
    },
    /**
     * Writes a send down, unless its id is there. An earlier send of the hash that LND has not been seen to begin is either LND's
     * last payment, or given up: what arrives of it now has a higher index, and belongs to the new one.
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
    /** Right before the call to LND. False when `giveUp` was first. */
    async post(sendId: bigint): Promise<boolean> {
      const row = rows.get(sendId)
      if (row?.state !== 'begun') return false
      set({ ...row, state: 'posted' })
      return true
    },
    /** Refuses for good what has not left: an unknown id too, so that a late `send` is refused. */
    async giveUp(sendId: bigint, paymentHash: string): Promise<SendRow> {
      const row = rows.get(sendId) ?? { sendId, paymentHash, state: 'begun', previousIndex: 0n }
      return row.state === 'begun' ? set({ ...row, state: 'ended', outcome: failed('never-sent') }) : row
    },
    async adopt(sendId: bigint, index: bigint): Promise<void> {
      const row = rows.get(sendId)
      if (row?.state === 'posted' && row.index === undefined) set({ ...row, index })
    },
    /** The first outcome stays. */
    async end(sendId: bigint, outcome: Final): Promise<{ outcome: Final; isNew: boolean }> {
      const row = rows.get(sendId)
      if (row === undefined) throw new Error(`send ${sendId} was never begun`)
      if (row.outcome !== undefined) return { outcome: row.outcome, isNew: false }
      set({ ...row, state: 'ended', outcome })
      return { outcome, isNew: true }
    },
  }
}
