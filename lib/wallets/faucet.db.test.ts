import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp } from '@/test/vasp/vasp'
import { readWallets } from '../ledger/accounts'
import { pullFaucet } from './service'

describeOnBothEngines('the faucet', (db) => {
  beforeAll(() => seedUsers(db(), 'sandbox', testPasswords))
  const balance = async (): Promise<bigint | undefined> =>
    (await readWallets(db(), 'penny')).find(({ code }) => code === 'USD')?.available

  it('is not available and gives no money when the sandbox tools are off', async () => {
    const { app } = await makeTestVasp(db(), { SANDBOX_TOOLS: 'off' })
    await expect(pullFaucet(app, 'penny', 'USD', 'off')).rejects.toMatchObject({ status: 404 })
    expect(await balance()).toBe(0n)
  })

  it('gives money only once for one request, and refuses the same request for another wallet with an explanation', async () => {
    const { app } = await makeTestVasp(db())
    for (let count = 0; count < 3; count++) await pullFaucet(app, 'alice', 'USD', 'once')
    await expect(pullFaucet(app, 'alice', 'EUR', 'once')).rejects.toMatchObject({ status: 400, code: 'OTHER' })
    const wallets = await readWallets(db(), 'alice')
    expect(wallets.map(({ available }) => available)).toEqual([10_000n, 0n, 0n])
  })

  it('answers 404 for a wallet that the user does not have', async () => {
    const { app } = await makeTestVasp(db())
    await expect(pullFaucet(app, 'bob', 'KWD', 'none')).rejects.toMatchObject({ status: 404 })
  })
})
