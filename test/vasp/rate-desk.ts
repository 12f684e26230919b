import { openRateDesk, type RateDesk } from '@/lib/sandbox/pinned-rates'
import type { TestVasp } from './vasp'

/** Lets a VASP use the pinned rates of its database, as a server with the sandbox tools does. */
export async function useRateDesk({ app }: TestVasp): Promise<RateDesk> {
  const listed = { ...app.rates }
  const desk = await openRateDesk({ db: app.db, log: app.log, listed })
  Object.assign(app.rates, { current: () => desk.rates.current() })
  Object.assign(app, { forToolPages: { rateDesk: desk } })
  return desk
}
