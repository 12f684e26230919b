import type { Application } from '@/lib/backend/application'
import { signInvoice } from '@/lib/lightning/sandbox/sign-invoice'
import type { TestVasp } from './vasp'

/** A VASP and its node at another time. */
export function depsAt({ deps }: Pick<TestVasp, 'deps'>, now: Date): Application {
  const clock = { now: () => now }
  const signer = { secretHex: deps.settings.lightningNodeKeyHex ?? '', network: 'regtest', clock } as const
  return { ...deps, clock, node: { ...deps.node, signInvoice: async (terms) => signInvoice(signer, terms) } }
}
