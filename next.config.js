/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  productionBrowserSourceMaps: false,
  // Paths of the API are compared exactly; a redirect to another spelling would carry nothing but confusion.
  skipTrailingSlashRedirect: true,
  // Loaded from node_modules as they are: bundled, PGlite does not find its files.
  serverExternalPackages: ['@electric-sql/pglite', 'pglite-prisma-adapter', '@prisma/adapter-pg', 'pg', 'pino'],
  devIndicators: false,
}

export default config
