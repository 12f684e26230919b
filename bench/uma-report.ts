import { availableParallelism } from 'node:os'
import type { Ratio } from './report'
import { loadTable, table } from './table'
import type { UmaResult } from './uma'

const LEAST_SHARE = 0.5

/** A payment to an address against one core that does nothing but sign and verify for it. */
export function umaRatios(uma: UmaResult | undefined): Ratio[] {
  if (uma === undefined) return []
  const value = (uma.payments * uma.signaturesMs) / 1000
  return [
    {
      what: 'Payment to an address at another VASP : its signatures one after another, both sides',
      value,
      target: `≥ ${LEAST_SHARE}`,
      reached: value >= LEAST_SHARE,
      next: cpuBeside(uma),
    },
  ]
}

/** What a payment takes of all cores, beside what the aim leaves to it there. */
function cpuBeside({ payment, signaturesMs }: UmaResult): string {
  const cores = availableParallelism()
  const each = (share: number): string => ((1000 * share) / payment.perSecond).toFixed(1)
  const left = (cores * signaturesMs) / LEAST_SHARE
  return `CPU: ${each(payment.serverCores)} ms of the two servers and ${each(payment.databaseCores)} ms of the database a payment, where the aim leaves ${left.toFixed(1)} ms on ${cores} cores`
}

export function umaSection(uma: UmaResult | undefined): string[] {
  if (uma === undefined) return []
  const { rows, signatures, signaturesMs, payments } = uma
  return [
    '## UMA between two VASPs',
    '',
    'Two instances with a database each on one PostgreSQL; every look-up, quote and payment asks the other VASP anew.',
    '',
    loadTable(rows, { servers: 'servers', digits: 1, hasOwnDatabase: true }),
    '',
    `In turn with ${payments.toFixed(1)} payments a second, the signatures of one payment took ${signaturesMs.toFixed(2)} ms:`,
    '',
    table(
      ['Signature', 'a payment', 'ms each'],
      signatures.map(({ what, perPayment, ms }) => [what, String(perPayment), ms.toFixed(3)]),
    ),
    '',
  ]
}
