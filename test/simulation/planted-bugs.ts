/** A bug that is built into the simulation, to prove that it would be found. */
export interface PlantedBug {
  readonly number: number
  readonly title: string
  /** Exact texts of the sources, exchanged when the simulation is built. */
  readonly patches: readonly { readonly file: string; readonly from: string; readonly to: string }[]
  /** Statements that replace SQL functions, and take away the guards that would stop this bug by themselves. */
  readonly sql?: string
}

export const PLANTED: readonly PlantedBug[] = [
  {
    number: 2,
    title: 'refund on time-out',
    patches: [
      {
        file: 'lib/payments/end.ts',
        from: `    case 'unknown':
    case 'not-found':
      return undefined`,
        to: `    case 'unknown':
      return giveUp(ports, payment, 'late')
    case 'not-found':
      return undefined`,
      },
    ],
  },
  {
    number: 3,
    title: 'send before `sending` is committed',
    patches: [
      {
        file: 'lib/payments/carry.ts',
        from: `  const [marked] = await ports.db.query(SENDING, [payment.id, worker])
  if (marked === undefined) return undefined
  const outcome = await ports.node.send(toOutgoing(payment))
`,
        to: `  const outcome = await ports.node.send(toOutgoing(payment))
  const [marked] = await ports.db.query(SENDING, [payment.id, worker])
  if (marked === undefined) return undefined
`,
      },
    ],
  },
  {
    number: 6,
    title: 'fee above the hold',
    patches: [
      {
        file: 'lib/payments/end.ts',
        from: `const charged = feeMsats > feeLimitMsats ? feeLimitMsats : feeMsats`,
        to: `const charged = feeMsats > feeLimitMsats ? feeMsats : feeMsats`,
      },
    ],
  },
  {
    number: 8,
    title: 'a hash alone says which invoice it is',
    patches: [
      {
        file: 'lib/payments/earlier.ts',
        from: `  if (row.invoice !== asked.invoice) throw badInput('Another invoice with this payment hash was paid before.')
  if (row.amount_msats !== asked.amountMsats) throw badInput('You have paid this before, with another amount.')
`,
        to: '',
      },
    ],
  },
  {
    number: 9,
    title: 'a retry that includes the call of the node',
    patches: [
      {
        file: 'lib/payments/carry.ts',
        from: `  const outcome = await ports.node.send(toOutgoing(payment))
  const ended = await applyOutcome(ports, payment, outcome)
`,
        to: `  const pay = async (sendId: bigint): Promise<Ended | undefined> =>
    applyOutcome(ports, payment, await ports.node.send({ ...toOutgoing(payment), sendId }))
  const ended = await pay(payment.id).catch(() => pay(payment.id + 1_000_000n))
`,
      },
    ],
  },
  {
    number: 10,
    title: 'NOT_FOUND is failed at once',
    patches: [
      {
        file: 'lib/payments/carry.ts',
        from: `if (outcome.kind === 'not-found' && (await isGoneForGood(ports, payment))) return`,
        to: `if (outcome.kind === 'not-found') return`,
      },
    ],
  },
  {
    number: 14,
    title: 'conversion in floating point, the price read from a `real` column',
    patches: [
      {
        file: 'lib/money/ledger-units.ts',
        from: `  return divide(msats * rate.denominator, rate.numerator, rounding)`,
        to: `  const unitsForOne = Math.fround(Number(rate.denominator) / Number(rate.numerator))
  const units = Number(msats) * unitsForOne
  return BigInt(rounding === 'up' ? Math.ceil(units) : Math.floor(units))`,
      },
    ],
  },
  {
    number: 15,
    title: 'the reconciler ignores payments that are only held',
    patches: [
      {
        file: 'lib/payments/carry.ts',
        from: `  return rows.map((row) => ({ payment: toOpenPayment(row), state: row.state, stale: row.stale }))`,
        to: `  return rows
    .filter((row) => row.state === 'sending')
    .map((row) => ({ payment: toOpenPayment(row), state: row.state, stale: row.stale }))`,
      },
    ],
  },
  {
    number: 16,
    title: 'no check of the owner',
    patches: [
      {
        file: 'lib/payments/earlier.ts',
        from: `if (row.user_id !== asked.username) {`,
        to: `if (row.user_id === '') {`,
      },
    ],
  },
]
