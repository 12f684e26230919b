import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import { loadSettings } from '@/lib/platform/config'
import { processSingletons } from '@/lib/platform/process-singletons'
import StartPage from './page'

const address = '$calm-otter@sandbox.example'
vi.mock(import('@/app/sandbox/tool-page'), async (original) => ({
  ...(await original()),
  requireSandboxTools: async () => ({
    username: 'calm-otter',
    displayName: 'calm-otter',
    address,
    sessionId: 'session',
    temporary: true,
  }),
}))

it('the guides name this server, its gateway and the reader instead of the demo’s', async () => {
  const settings = {
    ...loadSettings({ NEXTAUTH_SECRET: 'x'.repeat(32) }),
    vaspDomain: 'sandbox.example',
    publicOrigin: 'https://sandbox.example',
    gatewayRootUrl: new URL('https://gateway.example/'),
  }
  processSingletons().set('application', { settings })
  const html = renderToStaticMarkup(await StartPage())
  expect(html.match(/<h1/g)).toHaveLength(1)
  for (const text of [
    `ADDRESS ?? '${address}'`.replaceAll("'", '&#39;'),
    'request <code>https://sandbox.example/.well-known/uma-configuration</code>',
    'SANDBOX_ORIGIN ?? &#39;https://sandbox.example&#39;',
    'href="https://gateway.example"',
  ])
    expect(html).toContain(text)
  expect(html).not.toMatch(/localhost:(?:3000|8080)/)
  // Every link of the contents leads to a heading.
  const targets = Array.from(html.matchAll(/href="#([^"]+)"/g), ([, id = '']) => id)
  expect(targets.length).toBeGreaterThan(20)
  expect(targets.filter((id) => !html.includes(` id="${id}"`))).toEqual([])
})
