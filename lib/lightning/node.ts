import { encodeInvoice, type NewInvoice } from './bolt11'
import { nodePublicKey } from './node-key'

/** This VASP's Lightning node, as far as invoices need it: the key that signs them. */
export interface LightningNode {
  /** 33 bytes compressed, hex. */
  readonly publicKeyHex: string
  signInvoice(invoice: Omit<NewInvoice, 'nodeSecretHex'>): string
}

/** @throws SettingsError when the secret is missing or not a number of the curve. */
export function makeNode(secretHex: string | undefined): LightningNode {
  const publicKeyHex = nodePublicKey(secretHex)
  return { publicKeyHex, signInvoice: (invoice) => encodeInvoice({ ...invoice, nodeSecretHex: secretHex ?? '' }) }
}
