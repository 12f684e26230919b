import { describe, expect, it, vi } from 'vitest'
import type { Slot } from './backend.ts'
import { createUmaAuthVasp, type UmaAuthVasp, type UmaAuthVaspOptions, type WalletBackend } from './index.ts'

const backend: WalletBackend = {
  logins: { create: () => Promise.resolve('created'), find: () => Promise.resolve('open') },
  connections: { create: () => Promise.resolve('created'), open: () => Promise.resolve({}) },
  getInfo: () => ({ pubkey: '', network: 'regtest', currencies: [] }),
  estimateBudget: () => ({ budgetAmount: 1n }),
}

function create(options: Partial<UmaAuthVaspOptions<object, string, Slot>>): UmaAuthVasp {
  return createUmaAuthVasp({
    domain: 'bank.example',
    name: 'Bank',
    gatewayRootUrl: 'https://gateway.example/nwc',
    keys: { signing: undefined, verification: [] },
    loginSecret: 'a secret of thirty-two characters',
    currencies: [{ code: 'USD', symbol: '$', name: 'US dollar', decimals: 2 }],
    backend,
    ...options,
  })
}

describe('the documents that anyone may fetch', () => {
  it('are generated once, however often they are fetched', async () => {
    const openApi = vi.fn((vasp: UmaAuthVasp) => ({ title: vasp.api.name }))
    const vasp = create({ openApi })
    for (let time = 0; time < 3; time++) {
      const response = await vasp.fetch(new Request('https://bank.example/openapi.json'))
      expect([response.status, await response.json()]).toEqual([200, { title: 'Bank' }])
    }
    expect(openApi).toHaveBeenCalledTimes(1)
    const discovery = await vasp.fetch(new Request('https://bank.example/.well-known/uma-configuration'))
    expect(await discovery.json()).toEqual(vasp.discovery())
  })

  it('fail at creation, not on a request, when one cannot be generated', () => {
    const openApi = (): never => {
      throw new Error('zod-openapi is not installed')
    }
    expect(() => create({ openApi })).toThrow('zod-openapi is not installed')
  })

  it.each([
    'gateway.example:8080',
    'ftp://gateway.example',
    'https://user:secret@gateway.example',
    'https://gateway.example/?a=b',
    'https://gateway.example/#a',
  ])('are not created with an invalid gatewayRootUrl: %s', (gatewayRootUrl) => {
    expect(() => create({ gatewayRootUrl })).toThrow('gatewayRootUrl must be')
  })
})
