import type { Application } from '@/lib/backend/application'
import { signInvoice } from '@/lib/lightning/simulated-node/sign-invoice'
import type { TestVasp } from './vasp'

/** A VASP and its node, with their clocks set to another time. */
export function appAt({ app }: Pick<TestVasp, 'app'>, now: Date): Application {
  const clock = { now: () => now }
  const signer = { secretHex: app.settings.lightningNodeKeyHex ?? '', network: 'regtest', clock } as const
  return { ...app, clock, node: { ...app.node, signInvoice: async (terms) => signInvoice(signer, terms) } }
}
