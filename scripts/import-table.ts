/**
 * What each folder may import, for the whole tree outside tests. The longest key that contains a file is the file's row. A row always
 * allows its own folder. `import-table.test.ts` reads every import: a folder without a row fails, and so does an entry that no file needs.
 */
export const MAY_IMPORT: Readonly<Record<string, string>> = {
  // Installed by others. They know nothing of the rest.
  'packages/uma-auth-vasp': '',
  'packages/uma-auth-conformance': '',
  examples: 'packages/uma-auth-vasp',
  // The bank, from the lowest layer to the highest.
  'lib/money': '',
  'lib/platform/db': 'lib/platform',
  'lib/platform': 'lib/platform/db packages/uma-auth-vasp',
  'lib/ledger': 'lib/money lib/platform lib/platform/db',
  'lib/events': 'lib/platform lib/platform/db',
  'lib/lightning': 'lib/ledger lib/money lib/platform lib/platform/db',
  'lib/invoices': 'lib/events lib/ledger lib/lightning lib/money lib/payments lib/platform lib/platform/db',
  'lib/uma': 'lib/events lib/invoices lib/ledger lib/lightning lib/money lib/platform lib/platform/db',
  'lib/uma/messages': 'lib/money lib/platform lib/uma packages/uma-auth-vasp',
  'lib/uma/keys': 'lib/platform lib/platform/db lib/uma lib/uma/messages',
  'lib/uma/client':
    'lib/invoices lib/ledger lib/lightning lib/money lib/platform lib/platform/db lib/uma lib/uma/keys lib/uma/messages packages/uma-auth-vasp',
  'lib/uma/server':
    'lib/invoices lib/ledger lib/money lib/platform lib/platform/db lib/uma lib/uma/keys lib/uma/messages packages/uma-auth-vasp',
  'lib/uma/invoices':
    'lib/events lib/invoices lib/ledger lib/money lib/platform lib/platform/db lib/uma lib/uma/client lib/uma/messages lib/uma/server packages/uma-auth-vasp',
  'lib/uma/invoices/open.ts': 'lib/uma/invoices lib/uma/server',
  'lib/uma/open.ts': 'lib/events lib/platform lib/platform/db lib/uma lib/uma/client lib/uma/keys',
  'lib/audit': 'lib/lightning lib/platform lib/platform/db',
  'lib/wallets': 'lib/audit lib/events lib/ledger lib/money lib/platform lib/platform/db',
  'lib/accounts': 'lib/ledger lib/money lib/platform lib/platform/db packages/uma-auth-vasp',
  'lib/payments':
    'lib/accounts lib/audit lib/events lib/ledger lib/lightning lib/money lib/platform lib/platform/db packages/uma-auth-vasp',
  'lib/quotes':
    'lib/ledger lib/lightning lib/money lib/payments lib/platform lib/platform/db lib/uma lib/uma/client lib/uma/invoices/open.ts',
  'lib/connections': 'lib/accounts lib/events lib/money lib/platform lib/platform/db packages/uma-auth-vasp',
  'lib/backend':
    'lib/accounts lib/audit lib/connections lib/events lib/invoices lib/ledger lib/lightning lib/money lib/payments lib/platform lib/platform/db lib/quotes lib/uma lib/uma/client lib/uma/invoices/open.ts lib/uma/open.ts lib/uma/server packages/uma-auth-vasp',
  'lib/metrics': 'lib/accounts lib/audit lib/events lib/ledger lib/lightning lib/platform lib/platform/db',
  'lib/web':
    'lib/accounts lib/backend lib/connections lib/events lib/money lib/payments lib/platform lib/platform/db lib/quotes lib/uma lib/uma/invoices/open.ts packages/uma-auth-vasp',
  components: 'lib/accounts lib/backend lib/connections lib/events lib/lightning lib/money lib/platform lib/web',
  app: 'components components/sandbox-slots.tsx lib/accounts lib/audit lib/backend lib/connections lib/events lib/invoices lib/ledger lib/lightning lib/money lib/payments lib/platform lib/quotes lib/uma/client lib/uma/invoices/open.ts lib/uma/server lib/wallets lib/web packages/uma-auth-vasp',
  // The sandbox wing, and the only two files of the bank that import it.
  'lib/start.ts':
    'lib/accounts lib/audit lib/backend lib/connections lib/events lib/invoices lib/ledger lib/lightning lib/metrics lib/payments lib/platform lib/platform/db lib/quotes lib/sandbox lib/uma lib/uma/invoices/open.ts lib/uma/open.ts lib/uma/server lib/web',
  'components/sandbox-slots.tsx': 'app/sandbox',
  'lib/sandbox':
    'lib/accounts lib/backend lib/connections lib/events lib/invoices lib/ledger lib/lightning lib/money lib/payments lib/platform lib/platform/db lib/quotes lib/uma lib/uma/open.ts lib/wallets lib/web packages/uma-auth-vasp sandbox/pairing',
  'app/sandbox':
    'app app/(dashboard)/developers app/(dashboard)/sandbox components lib/accounts lib/backend lib/connections lib/events lib/ledger lib/money lib/platform lib/sandbox lib/web packages/uma-auth-vasp',
  'app/(dashboard)/developers':
    'app app/sandbox components lib/accounts lib/backend lib/connections lib/events lib/money lib/platform lib/sandbox lib/web packages/uma-auth-vasp',
  'app/(dashboard)/sandbox':
    'app app/(dashboard)/developers app/sandbox components lib/accounts lib/backend lib/connections lib/events lib/money lib/sandbox lib/web',
  'app/(dashboard)/show':
    'app app/(dashboard)/developers app/(dashboard)/sandbox app/sandbox components lib/accounts lib/backend lib/events lib/platform lib/sandbox lib/web',
  'app/login/link': 'app/sandbox components lib/accounts lib/backend lib/sandbox lib/web packages/uma-auth-vasp',
  // The simulators. Of the bank they use money, pages and single files.
  'sandbox/nostr': 'lib/platform',
  'sandbox/shared': 'lib/backend lib/platform lib/web scripts',
  'sandbox/relay': 'sandbox/shared',
  'sandbox/gateway': 'lib/lightning lib/money lib/platform lib/web packages/uma-auth-vasp sandbox/nostr sandbox/shared',
  'sandbox/shop': 'lib/money lib/platform lib/web packages/uma-auth-vasp sandbox/nostr sandbox/shared',
  // The server takes the same way to the shop's wallet as the demo.
  'sandbox/pairing': '',
  'sandbox/lnd': 'lib/platform lib/platform/db sandbox/shared scripts',
  'sandbox/demo':
    'lib/accounts lib/lightning lib/platform lib/platform/db sandbox/lnd sandbox/pairing sandbox/shared scripts',
  'sandbox/gateway-command': 'lib/backend packages/uma-auth-vasp sandbox/demo sandbox/shared sandbox/shop scripts',
  // Commands, measurements, and the files that a tool looks for in this place.
  scripts:
    'bench e2e lib/accounts lib/audit lib/backend lib/events lib/ledger lib/lightning lib/payments lib/platform lib/platform/db packages/uma-auth-conformance packages/uma-auth-vasp sandbox/demo sandbox/gateway-command sandbox/shared test scripts/generated-docs.ts',
  'scripts/generated-docs.ts': 'lib/platform lib/sandbox packages/uma-auth-conformance scripts',
  bench: 'lib/lightning lib/platform/db packages/uma-auth-vasp sandbox/shared scripts test',
  'instrumentation.ts': 'lib/start.ts',
  'proxy.ts': 'lib/accounts lib/backend lib/platform lib/web',
  'server.js': 'lib/platform',
  'vitest.config.ts': 'scripts test',
  'playwright.config.ts': 'scripts',
  'next.config.js': '',
  'postcss.config.mjs': '',
  'prisma.config.ts': '',
  // Tests may import everything.
  test: '',
  e2e: '',
}

/** The sandbox wing: what a plain VASP leaves out or replaces. */
export const SANDBOX_WING: readonly string[] = [
  'lib/sandbox',
  'app/sandbox',
  'app/(dashboard)/developers',
  'app/(dashboard)/sandbox',
  'app/(dashboard)/show',
  'app/login/link',
  'components/sandbox-slots.tsx',
]

/** The packages that these folders may import: whoever installs them gets no others. */
export const PACKAGES_OF: Readonly<Record<string, string>> = {
  'packages/uma-auth-vasp': 'jose zod zod-openapi',
  'packages/uma-auth-conformance': 'zod',
}

/** The folders that may import these packages, or these entry points of them. */
export const FOLDERS_OF: Readonly<Record<string, string>> = {
  next: 'app components lib/accounts lib/web proxy.ts lib/platform/http/request-validation.ts server.js next.config.js',
  // `components/ui/link.tsx` is the link of every page.
  'next/link': '',
  'next-auth': 'lib/accounts lib/web',
  react: 'app components',
  pg: 'lib/platform/db bench examples',
  '@electric-sql/pglite': 'lib/platform/db bench',
  '@prisma/adapter-pg': 'lib/platform/db',
  'pglite-prisma-adapter': 'lib/platform/db',
  hono: 'sandbox',
  bolt11: 'lib/lightning lib/sandbox examples',
}
