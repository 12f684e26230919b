/** The result of a run with one seed. */
export interface SeedRun {
  readonly isWell: boolean
  /** Commands that repeat what was found. */
  readonly commands: readonly string[]
}

interface Search {
  readonly hours: number
  readonly firstSeed: number
  readonly nowMs: () => number
  readonly runSeed: (seed: number) => SeedRun
  readonly say: (line: string) => void
}

const MAX_SEED = 2 ** 31

/** Runs one seed after another until the time is over or something is found. Returns the exit code. */
export function search({ hours, firstSeed, nowMs, runSeed, say }: Search): number {
  const startedAt = nowMs()
  for (let seeds = 1; ; seeds++) {
    const seed = (firstSeed + seeds - 1) % MAX_SEED
    const { isWell, commands } = runSeed(seed)
    const minutes = (nowMs() - startedAt) / 60_000
    const spent = `${seeds} ${seeds === 1 ? 'seed' : 'seeds'}, ${minutes.toFixed(1)} of ${hours * 60} minutes`
    if (!isWell) {
      const repeat = commands.length > 0 ? commands : [`npm run simulate -- --seed ${seed}`]
      for (const line of [`Seed ${seed}: a failure (${spent}). Repeat it with:`, ...repeat]) say(line)
      return 1
    }
    say(`Seed ${seed}: no failure (${spent}).`)
    if (minutes >= hours * 60) return 0
  }
}

/** The commands in the text of failures, each once. */
export function commandsIn(failures: readonly string[]): readonly string[] {
  return [...new Set(failures.join('\n').match(/^npm run simulate -- .*$/gm))]
}
