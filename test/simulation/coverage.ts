import { FAULTS, PLACES, type FaultKind, type Place, type World } from './world'

/** What there is not: a node has no transactions that could conflict. */
const NOT_A_CELL = new Set(['node takes × conflict'])
const nameOf = (at: Place, kind: FaultKind): string => `${at} × ${kind}`

/** How often each fault befell each step of a payment. A cell that stays empty was never tried. */
export interface Coverage {
  add(fired: World['counts']['fired']): void
  /** Cells with fewer than so many. */
  below(least: number): { readonly at: Place; readonly kind: FaultKind; readonly times: number }[]
  table(): string
}

export function makeCoverage(): Coverage {
  const cells = new Map<string, number>()
  const count = (at: Place, kind: FaultKind): number => cells.get(nameOf(at, kind)) ?? 0
  return {
    add(fired) {
      for (const { at, kind } of fired) cells.set(nameOf(at, kind), count(at, kind) + 1)
    },
    below: (least) =>
      PLACES.flatMap((at) =>
        FAULTS.filter((kind) => !NOT_A_CELL.has(nameOf(at, kind)))
          .map((kind) => ({ at, kind, times: count(at, kind) }))
          .filter(({ times }) => times < least),
      ),
    table() {
      const left = Math.max(...FAULTS.map(({ length }) => length))
      const widths = PLACES.map((at) => Math.max(at.length, 5))
      const line = (first: string, cells_: readonly string[]): string =>
        `${first.padEnd(left)}  ${cells_.map((cell, index) => cell.padStart(widths[index] ?? 5)).join('  ')}`
      return [
        line('', PLACES),
        ...FAULTS.map((kind) =>
          line(
            kind,
            PLACES.map((at) => (NOT_A_CELL.has(nameOf(at, kind)) ? '–' : String(count(at, kind)))),
          ),
        ),
      ].join('\n')
    },
  }
}
