import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp } from '@/test/vasp/vasp'
import WalletsPage from './page'

let username = ''
vi.mock(import('@/app/(dashboard)/require-user'), () => ({
  requireUser: async () => ({
    username,
    displayName: username,
    address: username,
    sessionId: 'session',
    temporary: false,
  }),
}))
// It needs a router, which only a browser has.
vi.mock(import('@/components/live-page'), () => ({ LivePage: () => null }))

describeOnBothEngines('The page of the wallets', (db) => {
  it('says after the last wallet which of those above pays', async () => {
    const vasp = await makeTestVasp(db())
    processSingletons().set('application', vasp.app)
    username = await newUser(vasp, { SAT: 1_000n, USD: 100n })
    const html = renderToStaticMarkup(await WalletsPage())
    const [wallets = '', sentence] = html.split(/Payments come from (?=the first wallet above)/)
    expect(sentence).toBeDefined()
    for (const code of ['SAT', 'USD']) {
      expect(wallets).toContain(`/wallets/${code}"`)
      expect(sentence).not.toContain(`/wallets/${code}"`)
    }
  })
})
