import type { PlantedBug } from './planted-bugs'

/** The number of seeds with which each planted bug is searched for. */
export const TRIES = Number(process.env.SIMULATE_TRIES ?? 1)

/** A line of what was found: how many schedules each try needed, the one in the middle first, and what they broke. */
export function findOf(
  { number, title }: PlantedBug,
  needed: readonly number[],
  invariants: ReadonlySet<string>,
): string {
  const median = needed.toSorted((a, b) => a - b)[Math.floor(needed.length / 2)]
  return `${String(number).padStart(4)}  ${title}: ${median} (${needed.join(', ')}), by ${[...invariants].join(', ')}`
}
