import { readFileSync } from 'node:fs'

const PACKAGE = 'packages/uma-auth-vasp'
/** @type {{ exports: Record<string, { 'uma-auth-source'?: string }> }} */
const { exports: entries } = JSON.parse(readFileSync(new URL(`${PACKAGE}/package.json`, import.meta.url), 'utf8'))

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  productionBrowserSourceMaps: false,
  // Paths of the API are exact. Next would redirect a path with a slash at its end, which the API answers with 404.
  skipTrailingSlashRedirect: true,
  // Loaded from node_modules as they are: bundled, PGlite does not find its files.
  serverExternalPackages: [
    '@electric-sql/pglite',
    'pglite-prisma-adapter',
    '@prisma/adapter-pg',
    'pg',
    'pino',
    '@uma-sdk/core',
    'secp256k1',
    'bolt11',
  ],
  // Every browser gets the title with the first bytes of a page. Streamed, it is missing for a moment, also when a page is rendered again.
  htmlLimitedBots: /./,
  devIndicators: false,
  turbopack: {
    rules: { '*.md': { loaders: ['./scripts/markdown.mjs'], as: '*.js' } },
    // The sources that the package exports with a condition of its own: Turbopack has no setting for conditions.
    resolveAlias: Object.fromEntries(
      Object.entries(entries).flatMap(([name, { 'uma-auth-source': source }]) =>
        source === undefined ? [] : [[name.replace('.', 'uma-auth-vasp'), source.replace('.', `./${PACKAGE}`)]],
      ),
    ),
  },
  experimental: {
    // A page's code is loaded when it is first asked for, not all of it at the start.
    preloadEntriesOnStart: false,
    // Without it, a page that an event renders again while the server is away is replaced by the browser's error page.
    useOffline: true,
  },
}

export default config
