/** Another one on each run; `BAD_INPUT_SEED` is a run again. */
export const SEED = Number(process.env.BAD_INPUT_SEED ?? Math.floor(Date.now() / 1000) % 1_000_000)
