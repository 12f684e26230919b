import type { Network } from './node'

/** What the library `bolt11` needs to know about a network. Invoices begin with `ln` followed by `bech32` (BOLT 11). */
interface NetworkConstants {
  readonly bech32: string
  readonly pubKeyHash: number
  readonly scriptHash: number
  readonly validWitnessVersions: number[]
}

export const NETWORKS: Readonly<Record<Network, NetworkConstants>> = {
  mainnet: { bech32: 'bc', pubKeyHash: 0x00, scriptHash: 0x05, validWitnessVersions: [0, 1] },
  testnet: { bech32: 'tb', pubKeyHash: 0x6f, scriptHash: 0xc4, validWitnessVersions: [0, 1] },
  signet: { bech32: 'tbs', pubKeyHash: 0x6f, scriptHash: 0xc4, validWitnessVersions: [0, 1] },
  simnet: { bech32: 'sb', pubKeyHash: 0x3f, scriptHash: 0x7b, validWitnessVersions: [0, 1] },
  regtest: { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, validWitnessVersions: [0, 1] },
}

/** The network of an invoice, by its prefix; undefined for another text. */
export function networkOfInvoice(invoice: string): Network | undefined {
  const [, prefix] = /^ln([a-z]+)/.exec(invoice.toLowerCase()) ?? []
  return (Object.keys(NETWORKS) as Network[]).find((each) => NETWORKS[each].bech32 === prefix)
}

/** The prefix of a network's invoices, before the amount. */
export function invoicePrefixOf(network: Network): string {
  return `ln${NETWORKS[network].bech32}`
}
