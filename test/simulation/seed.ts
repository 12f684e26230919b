/** The same for the whole run. */
export const SEED = Number(process.env.SIMULATE_SEED ?? Math.floor(Date.now() / 1000) % 1_000_000)
