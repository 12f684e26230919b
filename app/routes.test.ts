import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ROUTES, WITHOUT_TOOLS } from '@/test/stack/routes'

/** The folders of the sandbox wing, and the routes of the bank that only its tools use. */
const OF_TOOLS = [
  '/-/wire',
  '/developers',
  '/sandbox',
  '/login/link',
  '/events',
  '/login/team',
  '/show',
  '/wallets/faucet',
]
const isOfTools = (path: string): boolean => OF_TOOLS.some((each) => path === each || path.startsWith(`${each}/`))

it('each route works without the sandbox tools, or belongs to them', () => {
  const undecided = ROUTES.map(({ path }) => path).filter((path) => isOfTools(path) === WITHOUT_TOOLS.includes(path))
  expect(
    undecided,
    'Does this route work with SANDBOX_TOOLS=off? Then list it in WITHOUT_TOOLS (test/stack/routes.ts). If not, it answers 404 there: list it in OF_TOOLS (this file).',
  ).toEqual([])
  expect(
    WITHOUT_TOOLS.filter((path) => !ROUTES.some((route) => route.path === path)),
    'These routes do not exist: delete them from WITHOUT_TOOLS (test/stack/routes.ts).',
  ).toEqual([])
})

it('a browser test opens each page with a fixed address', () => {
  const specs = readdirSync('e2e', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts'))
    .map((file) => readFileSync(`e2e/${file}`, 'utf8'))
  const opened = (path: string): boolean => specs.some((text) => new RegExp(`[}']${path}[?#\`']`).test(text))
  const pages = ROUTES.filter(({ isPage, path }) => isPage && path !== '/' && !path.includes('['))
  expect(pages.length).toBeGreaterThan(10)
  expect(
    pages.map(({ path }) => path).filter((path) => !opened(path)),
    'Open these pages in e2e/pages/accessibility.spec.ts, or in the browser test of their forms with `expectNoFaults`.',
  ).toEqual([])
})
