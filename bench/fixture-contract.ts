// What the bench exchanges with the fixture of another commit. Keep these fields: a commit can be compared as long as its fixture
// understands the input and the bench understands its output (docs/decisions/0023-benchmark.md).

/** The file of the fixture: today's, and the one of earlier commits. */
export const FIXTURES = ['bench/fixture.ts', 'bench/world.ts'] as const

export interface WorldInput {
  readonly engine: 'postgres' | 'embedded'
  /** Database URLs, or folders of embedded databases: ours and the other VASP's. Both databases are empty. */
  readonly databases: readonly [string, string]
  /** Open invoices inside the VASP, and at the other VASP. */
  readonly payments: number
  readonly outgoing: number
  /** Number of transactions of the reader. */
  readonly historyRows: number
  /** The file to which the output is written. */
  readonly output: string
}

export interface WorldServer {
  readonly port: number
  readonly env: Readonly<Record<string, string>>
}

export interface TokenAndInvoice {
  readonly token: string
  readonly invoice: string
}

export interface World {
  readonly servers: readonly [WorldServer, WorldServer]
  /** Part of the name of the session cookie. */
  readonly instance: string
  /** Signs the tokens of the first VASP. */
  readonly privateKeyPem: string
  readonly tokens: readonly string[]
  /** The user with the history, who can sign in. */
  readonly reader: { readonly username: string; readonly password: string; readonly token: string }
  /** Each invoice can be paid once, with the token beside it. */
  readonly payments: readonly TokenAndInvoice[]
  readonly outgoing: readonly TokenAndInvoice[]
  /** UMA addresses at the other VASP. */
  readonly addresses: readonly string[]
}
