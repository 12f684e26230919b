import { openPinnedRates, type PinnedRates } from '@/lib/sandbox/pinned-rates'
import type { TestVasp } from './vasp'

/** Lets a VASP use the pinned rates of its database, as a server with the sandbox tools does. */
export async function usePinnedRates({ app }: TestVasp): Promise<PinnedRates> {
  const listed = { ...app.rates }
  const pinned = await openPinnedRates({ db: app.db, log: app.log, listed })
  Object.assign(app.rates, { current: () => pinned.rates.current() })
  Object.assign(app, { forToolPages: { pinnedRates: pinned } })
  return pinned
}
