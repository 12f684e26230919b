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
  regtest: { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, validWitnessVersions: [0, 1] },
}

/** The prefix of a network's invoices, before the amount. */
export function invoicePrefixOf(network: Network): string {
  return `ln${NETWORKS[network].bech32}`
}
