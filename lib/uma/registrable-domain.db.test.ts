import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { NO_EVENTS } from '@/lib/events/recorder'
import { hashOfPreimage } from '@/lib/lightning/preimage'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { saveRequest } from './invoices/requests'
import { saveRequestedInvoice } from './pay-requests'
import { registrableDomain, registrableDomainSql } from './registrable-domain'

const MANY = /too many/i

describeOnBothEngines('VASPs under one registrable domain', (db) => {
  let vasp: TestVasp
  let bob: string
  beforeEach(async () => {
    vasp = await makeTestVasp(db())
    bob = await newUser(vasp, { SAT: 0n })
  })

  /** Creates, without the ledger's triggers, open invoices that a payer at the domain requested. */
  const requestInvoices = async (domain: string, count: number): Promise<void> => {
    const { walletId } = await walletOf(db(), bob, 'SAT')
    await db().query({
      name: `test_invoices_of_${domain}_${bob}`,
      text: `do $$ begin
        set local session_replication_role = replica;
        with made as (
          insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, expires_at)
          select encode(sha256(secret), 'hex'), encode(secret, 'hex'), 'x', '${bob}', ${walletId}, 1000, now() + interval '5 minutes'
          from generate_series(1, ${count}) n, lateral (select sha256((n || '${domain} ${bob}')::bytea) as secret) s returning id)
        insert into uma_pay_requests (invoice_id, protocol, payer_address)
        select id, 'uma-1', '$x@${domain}' from made;
      end $$`,
    })
  }

  describe('open invoices:', () => {
    const ask = async (domain: string): Promise<void> => {
      const { walletId } = await walletOf(db(), bob, 'SAT')
      const rateSnapshotId = vasp.app.rates.current().snapshotId
      const preimageHex = randomBytes(32).toString('hex')
      const now = Math.floor(Date.now() / 1000)
      const made = {
        preimageHex,
        paymentHash: hashOfPreimage(preimageHex),
        invoice: preimageHex,
        amountMsats: 1_000n,
        receivingUnits: 1n,
        createdAtSeconds: now,
        expiresAtSeconds: now + 300,
        fixedCredit: { credit: 1_000n, feeMsats: 0n, rateSnapshotId },
      }
      const request = { protocol: 'uma-1' as const, payerAddress: `$y@${domain}` }
      await saveRequestedInvoice(db(), { username: bob, walletId, made, request }, domain)
    }
    const countAll = async (): Promise<unknown> =>
      db().query(
        { name: 'test_count_invoices', text: 'select count(*)::int as made from invoices where user_id = $1' },
        [bob],
      )

    test('share the limit of 100 for one user, and another domain has its own limit', async () => {
      for (let name = 0; name < 20; name++) await requestInvoices(`x${name}.evil.example`, 5)
      await expect(ask('x20.evil.example')).rejects.toThrow(MANY)
      await expect(ask('evil.example')).rejects.toThrow(MANY)
      expect(await countAll()).toEqual([{ made: 100 }])
      await ask('evil2.example')
      await ask('bank.other')
      expect(await countAll()).toEqual([{ made: 102 }])
    })
  })

  describe('requests to pay:', () => {
    const request = (domain: string): Promise<void> =>
      saveRequest(
        { db: db(), events: NO_EVENTS },
        {
          username: bob,
          encoded: 'x',
          invoice: {
            receiver: `$x@${domain}`,
            uuid: randomUUID(),
            amount: 1n,
            currency: { code: 'SAT', name: 'Satoshi', symbol: '', decimals: 0 },
            expiresAtSeconds: Math.floor(Date.now() / 1000) + 600,
          } as Parameters<typeof saveRequest>[1]['invoice'],
        },
      )

    test('share the limit of 50 a day for one user, and another domain has its own limit', async () => {
      for (let name = 0; name < 50; name++) await request(`x${name}.evil.example`)
      await expect(request('x50.evil.example')).rejects.toThrow(MANY)
      await request('evil2.example')
      await request('bank.other')
    })
  })

  test.each([
    ['a.b.bank.example', 'bank.example'],
    ['a.bank.co.uk', 'bank.co.uk'],
    ['evil.co', 'evil.co'],
    ['localhost:3001', 'localhost:3001'],
  ])('the registrable domain of %s is %s', (domain, registrable) => {
    expect(registrableDomain(domain)).toBe(registrable)
  })

  test.each([
    'localhost:3000',
    'bank.example',
    'a.bank.example',
    'x.a.bank.example:8080',
    'bank.co.uk',
    'a.bank.com.au',
    'co.uk',
    'evil.co',
    '127.0.0.1:4000',
    'bank',
  ])('SQL and TypeScript agree on the registrable domain of %s', async (domain) => {
    const statement = { name: 'test_registrable_domain', text: `select ${registrableDomainSql('$1')} as registrable` }
    expect(await db().query(statement, [`$x@${domain}`])).toEqual([{ registrable: registrableDomain(domain) }])
  })
})
