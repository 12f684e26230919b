/** Different on each run; set `BAD_INPUT_SEED` to repeat a run. */
export const SEED = Number(process.env.BAD_INPUT_SEED ?? Math.floor(Date.now() / 1000) % 1_000_000)
