import type { Ratio } from './report'
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
      next: 'two servers and a database on two cores: three calls between the VASPs, each on a connection of its own, and 24 statements, half of which wait for the disk',
    },
  ]
}

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string

export function umaSection(uma: UmaResult | undefined, table: Table): string[] {
  if (uma === undefined) return []
  const { rows, signatures, signaturesMs, payments } = uma
  return [
    '## UMA between two VASPs',
    '',
    'Two instances with a database each on one PostgreSQL; every look-up, quote and payment asks the other VASP anew.',
    '',
    table(
      ['What', 'a second', 'arrivals/s', 'p50 ms', 'p99 ms', 'MB', 'cores: servers', 'database', 'load'],
      rows.map((row) => [
        row.what,
        row.perSecond.toFixed(1),
        String(row.arrivalsPerSecond),
        row.p50Ms.toFixed(2),
        row.p99Ms.toFixed(2),
        row.residentMb.toFixed(0),
        row.serverCores.toFixed(2),
        row.databaseCores.toFixed(2),
        row.loadCores.toFixed(2),
      ]),
    ),
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
