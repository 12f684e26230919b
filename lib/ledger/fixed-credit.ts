/** The fixed credit of an invoice, in ledger units of its wallet, and the rates it was computed at. */
export interface FixedCredit {
  readonly credit: bigint
  readonly rateSnapshotId: string
  /** This VASP's fee, which is part of the invoice's amount. */
  readonly feeMsats: bigint
}
