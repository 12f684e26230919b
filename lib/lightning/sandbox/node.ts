import { encodeInvoice } from '../bolt11'
import type { LightningNode } from '../node'
import { nodePublicKey } from '../node-key'

/** @throws SettingsError when the secret is missing or not a number of the curve. */
export function makeSandboxNode({ secretHex }: { readonly secretHex: string | undefined }): LightningNode {
  const publicKeyHex = nodePublicKey(secretHex)
  return {
    publicKeyHex,
    signInvoice: (invoice) => encodeInvoice({ ...invoice, nodeSecretHex: secretHex ?? '' }),
    routeTo: () => undefined,
    send: () => Promise.resolve({ kind: 'failed', failure: 'no-route' }),
    track: () => Promise.resolve({ kind: 'not-found' }),
    listen: () => () => undefined,
  }
}
