import { readdirSync, readFileSync } from 'node:fs'
import { COMMANDS } from 'uma-auth-vasp'

/** Every route that works without the sandbox tools. All others answer 404 there. */
export const WITHOUT_TOOLS: readonly string[] = [
  '/',
  '/-/alive',
  '/-/audit',
  '/-/payments',
  '/-/ready',
  '/-/serving',
  '/-/users',
  '/.well-known/[...path]',
  '/.well-known/uma-configuration',
  '/activity',
  '/activity/export',
  '/activity/statement',
  '/api/auth/[...nextauth]',
  '/connect',
  '/connections',
  '/connections/[id]',
  '/connections/fresh',
  '/connections/rename',
  '/connections/revoke',
  '/connections/revoke-today',
  '/connections/revoke-unused',
  '/invoices',
  '/invoices/[hash]',
  '/invoices/[hash]/state',
  '/invoices/uma/[uuid]',
  '/invoices/uma/[uuid]/state',
  '/login',
  '/logout',
  '/openapi.json',
  '/requests',
  '/requests/decline',
  '/sandbox-ln/[[...path]]',
  '/search',
  '/settings',
  '/settings/keys',
  '/settings/wallet',
  '/settings/zone',
  '/sign-out',
  '/status',
  '/theme',
  '/uma/[...path]',
  '/umanwc/[[...path]]',
  '/umanwc/v1/token',
  ...COMMANDS.map(({ path }) => `/umanwc/v1${path.replaceAll(/\{(\w+)\}/g, '[$1]')}`),
  '/wallets',
  '/wallets/[code]',
  '/wallets/convert',
  '/wallets/convert/book',
  '/wallets/convert/price',
  '/wallets/pending',
  '/wallets/quotes/[hash]',
  '/wallets/receive',
  '/wallets/receive/make',
  '/wallets/receive/uma',
  '/wallets/send',
  '/wallets/send/confirm',
  '/wallets/send/pay',
  '/wallets/send/quote',
  '/wallets/send/uma',
  '/wallets/sent/[hash]',
  '/wallets/sent/[hash]/state',
]

export interface Route {
  /** With the parameters as in the folder names, such as `[username]`. */
  readonly path: string
  readonly methods: readonly string[]
  readonly isPage: boolean
}

/** Every page and route handler of the folder `app`. */
export const ROUTES: readonly Route[] = readdirSync('app', { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)(page\.tsx|route\.ts)$/.test(file))
  .map((file) => {
    const folders = file.split('/').slice(0, -1)
    const source = readFileSync(`app/${file}`, 'utf8')
    const isPage = file.endsWith('page.tsx')
    const exported = [...source.matchAll(/^export (?:async )?(?:function|const) (GET|POST|PUT|PATCH|DELETE)\b/gm)]
    return {
      path: `/${folders.filter((folder) => !folder.startsWith('(')).join('/')}`,
      methods: isPage ? ['GET'] : exported.map(([, method]) => method ?? ''),
      isPage,
    }
  })

/** The routes that exist with the sandbox tools only. */
export const TOOL_ROUTES: readonly Route[] = ROUTES.filter(({ path }) => !WITHOUT_TOOLS.includes(path))
