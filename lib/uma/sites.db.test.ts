import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases'
import { newPerson, walletOf } from '@/test/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp'
import { takeNonce } from './nonces'
import { refuseTooManyOpen } from './open-invoices'
import { readingPayee } from './receivers'
import { siteOf, siteOfAddress } from './sites'
import { keepRequest } from './uma-invoices/requests'

const MANY = 'Too many'

describeOnBothEngines('What is counted for the VASPs below one site', (db) => {
  let vasp: TestVasp
  let bob: string
  beforeEach(async () => {
    vasp = await makeTestVasp(db())
    bob = await newPerson(vasp, { SAT: 0n })
    // The domains of a test before know nobody here.
    await db().query({ name: 'test_no_askers', text: `update uma_pay_requests set payer_address = null` })
  })

  /** Invoices that somebody of the domain asked for: open ones, or paid ones without the ledger's triggers. */
  const asked = async (domain: string, count: number, isPaid = false): Promise<void> => {
    const { walletId } = await walletOf(db(), bob, 'SAT')
    const paid = isPaid ? 'now(), 1000' : 'null::timestamptz, null::bigint'
    await db().query({
      name: `test_asked_of_${domain}_${isPaid}_${bob}`,
      text: `do $$ begin
        set local session_replication_role = replica;
        with made as (
          insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, expires_at, settled_at, received_msats)
          select encode(sha256(secret), 'hex'), encode(secret, 'hex'), 'x', '${bob}', ${walletId}, 1000, now() + interval '5 minutes', ${paid}
          from generate_series(1, ${count}) n, lateral (select sha256((n || '${domain} ${bob} ${isPaid}')::bytea) as secret) s returning id)
        insert into uma_pay_requests (invoice_id, protocol, receiver_address, payer_address)
        select id, 'uma-1', 'x', '$x@${domain}' from made;
      end $$`,
    })
  }

  describe('open invoices:', () => {
    const ask = async (domain: string): Promise<void> => {
      const { clock } = vasp.deps
      const nonce = randomBytes(16).toString('hex')
      const [row] = await takeNonce({ db: db(), clock }, domain, nonce, readingPayee(bob, domain))
      await refuseTooManyOpen(db(), { username: bob, domain, openOfSite: row?.open ?? 0 })
    }

    test('a hundred of names below one site are the share of them all, and not of other sites', async () => {
      for (let name = 0; name < 20; name++) await asked(`x${name}.evil.example`, 5)
      await expect(ask('x20.evil.example')).rejects.toThrow(MANY)
      await expect(ask('evil.example')).rejects.toThrow(MANY)
      await ask('evil2.example')
      await ask('bank.other')
    })

    test('a VASP with which money has moved has a hundred of its own, whatever others below its site do', async () => {
      await asked('bank.co.example', 1, true)
      await asked('evil.co.example', 100)
      await ask('bank.co.example')
      await asked('bank.co.example', 100)
      await expect(ask('bank.co.example')).rejects.toThrow(MANY)
    })
  })

  describe('requests to pay:', () => {
    const request = (domain: string): Promise<void> =>
      keepRequest(db(), {
        username: bob,
        encoded: 'x',
        invoice: {
          receiver: `$x@${domain}`,
          uuid: randomUUID(),
          amount: 1n,
          currency: { code: 'SAT', name: 'Satoshi', symbol: '', decimals: 0 },
          expiresAtSeconds: Math.floor(Date.now() / 1000) + 600,
        } as Parameters<typeof keepRequest>[1]['invoice'],
      })

    test('fifty a day of names below one site are the share of them all, and not of other sites', async () => {
      for (let name = 0; name < 50; name++) await request(`x${name}.evil.example`)
      await expect(request('x50.evil.example')).rejects.toThrow(MANY)
      await request('evil2.example')
      await request('bank.other')
    })

    test('a VASP with which money has moved has fifty of its own, whatever others below its site do', async () => {
      await asked('bank.co.example', 1, true)
      for (let name = 0; name < 50; name++) await request(`evil${name}.co.example`)
      for (let times = 0; times < 50; times++) await request('bank.co.example')
      await expect(request('bank.co.example')).rejects.toThrow(MANY)
    })
  })

  test.each(['localhost:3000', 'bank.example', 'a.bank.example', 'x.a.bank.example:8080', '127.0.0.1:4000', 'bank'])(
    'the database and the process take the same for the site of %s',
    async (domain) => {
      const statement = { name: 'test_site', text: `select ${siteOfAddress('$1')} as site` }
      expect(await db().query(statement, [`$x@${domain}`])).toEqual([{ site: siteOf(domain) }])
    },
  )
})
