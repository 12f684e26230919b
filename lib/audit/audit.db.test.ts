import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { Client } from 'pg'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { POST } from '@/app/-/audit/route'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { openHouseAccounts } from '@/lib/ledger/accounts'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { processSingletons } from '@/lib/platform/process-singletons'
import { readiness } from '@/lib/platform/readiness'
import { exchange } from '@/lib/wallets/service'
import { describeOnBothEngines, describeOnPostgres } from '@/test/databases/databases'
import { emptyDataDir } from '@/test/databases/embedded'
import { migratedDataDir } from '@/test/databases/migrated'
import { runScript, type Ran } from '@/test/programs/run-script'
import { holdForPayment, releasePayment } from '@/test/vasp/held-payment'
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark, type Breach } from './invariants'
import { isOperatorCredential, operatorCredential } from './operator-request'

/** One settled payment from dollars to bitcoin, in which breaches are planted. */
interface Scene {
  readonly payer: string
  readonly payee: string
  readonly paymentId: bigint
  readonly entryId: bigint
  /** The payer's posting and account, and a posting of one of the operator's accounts. */
  readonly postingId: bigint
  readonly accountId: bigint
  readonly housePostingId: bigint
  readonly walletId: bigint
}

interface PlantedBreach {
  readonly invariant: Breach['invariant']
  readonly what: string
  /** Statements that break the books, run with all triggers off, and the statements that repair them. */
  readonly plant: (scene: Scene) => string
  readonly undo: (scene: Scene) => string
}

const PLANTED: readonly PlantedBreach[] = [
  {
    invariant: 'N1',
    what: 'an entry that does not sum to zero',
    plant: ({ housePostingId: id }) => `update postings set amount = amount + 1 where id = ${id}`,
    undo: ({ housePostingId: id }) => `update postings set amount = amount - 1 where id = ${id}`,
  },
  {
    invariant: 'N1',
    what: 'an entry without postings',
    plant: ({ entryId }) =>
      `insert into journal_entries (kind, idempotency_key, content_hash) values ('faucet', 'planted ${entryId}', '')`,
    undo: ({ entryId }) => `delete from journal_entries where idempotency_key = 'planted ${entryId}'`,
  },
  {
    invariant: 'N2',
    what: 'a posting that has a wrong running balance',
    plant: ({ postingId: id }) => `update postings set balance_after = balance_after + 5 where id = ${id}`,
    undo: ({ postingId: id }) => `update postings set balance_after = balance_after - 5 where id = ${id}`,
  },
  {
    invariant: 'N2',
    what: 'an account whose balance was set by hand',
    plant: ({ accountId: id }) => `update ledger_accounts set balance = balance + 5 where id = ${id}`,
    undo: ({ accountId: id }) => `update ledger_accounts set balance = balance - 5 where id = ${id}`,
  },
  {
    invariant: 'N3',
    what: 'a payment in progress for which nothing is held',
    plant: ({
      paymentId,
    }) => `insert into payments (payment_hash, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state)
      select '${'0'.repeat(64)}', user_id, wallet_id, 5, 5, rate_snapshot_id, 'held' from payments where id = ${paymentId}`,
    undo: () => `delete from payments where payment_hash = '${'0'.repeat(64)}'`,
  },
  {
    invariant: 'N4',
    what: 'a payment whose debit differs from the ledger',
    plant: ({ paymentId: id }) => `update payments set debit = debit + 1 where id = ${id}`,
    undo: ({ paymentId: id }) => `update payments set debit = debit - 1 where id = ${id}`,
  },
  {
    invariant: 'N4',
    what: 'a payment that the ledger did not debit',
    plant: ({ entryId: id }) => `update journal_entries set payment_id = null, kind = 'exchange' where id = ${id}`,
    undo: ({ entryId: id, paymentId }) =>
      `update journal_entries set payment_id = ${paymentId}, kind = 'payment' where id = ${id}`,
  },
  {
    invariant: 'N4',
    what: 'a failed payment that debited its wallet',
    plant: ({ paymentId: id }) => `${openInvoiceOf(id)};
      update payments set state = 'failed', preimage = null, settled_at = null where id = ${id}`,
    undo: ({ paymentId: id }) => `update payments p set state = 'succeeded', preimage = i.preimage, settled_at = now()
      from invoices i where p.id = ${id} and i.payment_hash = p.payment_hash;
      ${settleInvoiceOf(id)}`,
  },
  {
    invariant: 'N5',
    what: 'an invoice that is still open although it was paid',
    plant: ({ paymentId: id }) => openInvoiceOf(id),
    undo: ({ paymentId: id }) => settleInvoiceOf(id),
  },
  {
    invariant: 'N5',
    what: 'an invoice whose recorded credit differs from its wallet’s credit',
    plant: ({ paymentId: id }) => `update invoices set credited = credited + 1 where ${invoiceOfPayment(id)}`,
    undo: ({ paymentId: id }) => `update invoices set credited = credited - 1 where ${invoiceOfPayment(id)}`,
  },
  {
    invariant: 'N5',
    what: 'an invoice whose received amount differs from its payment',
    plant: ({ paymentId: id }) =>
      `update invoices set received_msats = received_msats + 1 where ${invoiceOfPayment(id)}`,
    undo: ({ paymentId: id }) =>
      `update invoices set received_msats = received_msats - 1 where ${invoiceOfPayment(id)}`,
  },
  {
    invariant: 'N5',
    what: 'an invoice that is settled without a payment',
    plant: ({ paymentId: id }) =>
      `update payments set state = 'failed', preimage = null, settled_at = null where id = ${id}`,
    undo: ({
      paymentId: id,
    }) => `update payments p set state = 'succeeded', preimage = i.preimage, settled_at = i.settled_at
      from invoices i where p.id = ${id} and i.payment_hash = p.payment_hash`,
  },
  {
    invariant: 'N5',
    what: 'a hash that was settled an hour ago and again now',
    plant: ({ paymentId: id }) => `drop index payments_payment_hash_live_key;
      update payments set settled_at = settled_at - interval '1 hour' where id = ${id};
      insert into payments (payment_hash, invoice, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state, preimage, settled_at)
        select payment_hash, invoice, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state, preimage, now()
        from payments where id = ${id}`,
    undo: ({ paymentId: id }) => `
      delete from payments where id > ${id} and payment_hash = (select payment_hash from payments where id = ${id});
      update payments set settled_at = settled_at + interval '1 hour' where id = ${id};
      create unique index payments_payment_hash_live_key on payments (payment_hash) where state <> 'failed'`,
  },
]

/** The log of a process that found the breach itself, and of one that read it. */
const STOPPED_HERE = 'the books do not balance: payments are stopped'
const STOPPED_ELSEWHERE = 'an audit has found a breach: payments are stopped until a whole audit passes'

function invoiceOfPayment(id: bigint): string {
  return `payment_hash = (select payment_hash from payments where id = ${id})`
}

function openInvoiceOf(id: bigint): string {
  return `update invoices set settled_at = null, received_msats = null, credited = null where ${invoiceOfPayment(id)}`
}

function settleInvoiceOf(id: bigint): string {
  return `update invoices i set settled_at = now(), received_msats = (select amount_msats from payments where id = ${id}), credited = (
            select l.amount from journal_entries e join postings l on l.entry_id = e.id join ledger_accounts a on a.id = l.account_id
            where e.payment_id = ${id} and a.wallet_id = i.wallet_id)
          where ${invoiceOfPayment(id)}`
}

describeOnBothEngines('the audit', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    vasp = await makeTestVasp(db())
  })
  const everything = async (): Promise<Breach[]> => findBreaches(db(), FROM_THE_BEGINNING, await readAuditMark(db()))
  const token = (name: string): Promise<string> =>
    vasp.connectionToken(name, ['pay_invoice', 'make_invoice', 'get_balance'])

  async function pay(through: TestVasp, payer: string, payee: string): Promise<Answer> {
    const { invoice } = await invoiceOf(vasp, payee, 'SAT', 15_001n)
    return through.post('/payments/bolt11', await token(payer), { invoice })
  }

  async function makeScene(): Promise<Scene> {
    const payer = await newUser(vasp, { USD: 1_000n, EUR: 0n })
    const payee = await newUser(vasp, { SAT: 0n })
    expect(await pay(vasp, payer, payee)).toMatchObject({ status: 200 })
    const { accountId, walletId } = await walletOf(db(), payer, 'USD')
    const [row] = await db().query<Pick<Scene, 'paymentId' | 'entryId' | 'postingId' | 'housePostingId'>>(
      {
        name: 'test_scene',
        text: `select p.id as "paymentId", e.id as "entryId", own.id as "postingId", house.id as "housePostingId"
               from payments p join journal_entries e on e.payment_id = p.id
               join postings own on own.entry_id = e.id and own.account_id = $2::bigint
               join postings house on house.entry_id = e.id and house.balance_after is null
               where p.user_id = $1 limit 1`,
      },
      [payer, accountId],
    )
    if (row === undefined) throw new Error('the payment left no entry')
    return { payer, payee, accountId, walletId, ...row }
  }

  it('finds the books balanced after payments, conversions, faucets, rejections and retries', async () => {
    expect((await vasp.app.audit.run('everything')).breaches).toEqual([])
    const { payer, payee } = await makeScene()
    await exchange(vasp.app, {
      username: payer,
      from: 'USD',
      to: 'EUR',
      amount: 333n,
      requestId: randomBytes(8).toString('hex'),
    })
    const { invoice } = await invoiceOf(vasp, payee, 'SAT', 7_777n)
    for (let times = 0; times < 3; times++) await vasp.post('/payments/bolt11', await token(payer), { invoice })
    const tooMuch = await invoiceOf(vasp, payee, 'SAT', 9_000_000n)
    expect(await vasp.post('/payments/bolt11', await token(payer), { invoice: tooMuch.invoice })).toMatchObject({
      status: 400,
    })
    const report = await vasp.app.audit.run('recent')
    expect(report.breaches).toEqual([])
    expect((await vasp.app.audit.run('everything')).breaches).toEqual([])
    expect(report.postings).toBe(String((await readAuditMark(db())).lastPosting))
    expect(vasp.app.audit.state()).toBe('ok')
  })

  describe.each(PLANTED.map((planted) => [planted.invariant, planted.what, planted] as const))(
    '%s: %s',
    (...[, , planted]) => {
      const { invariant, plant, undo } = planted
      it('is found by the recent and by the full audit, and stops payments, also after a repair and a restart, until a whole audit passes', async () => {
        const watched = await makeTestVasp(db(), {}, vasp.pair)
        const full = await makeTestVasp(db(), {}, vasp.pair)
        await ageBooks(db())
        await watched.app.audit.run('everything')
        const scene = await makeScene()
        expect((await watched.app.audit.run('recent')).breaches).toEqual([])
        await withoutTriggers(db(), plant(scene))
        try {
          const recent = await watched.app.audit.run('recent')
          expect(recent.breaches.map((breach) => breach.invariant)).toContain(invariant)
          const all = await full.app.audit.run('everything')
          expect(all.breaches).toEqual(expect.arrayContaining([...recent.breaches]))
          for (const stopped of [watched, full]) await expectStopped(stopped, scene)
        } finally {
          await withoutTriggers(db(), undo(scene))
        }
        expect(await everything()).toEqual([])
        expect((await watched.app.audit.run('everything')).breaches).toEqual([])
        await expectStopped(watched, scene)
        const restarted = await makeTestVasp(db(), {}, vasp.pair)
        await restarted.app.audit.lookForBreaches()
        await expectStopped(restarted, scene, STOPPED_ELSEWHERE)
        const { breaches, stored = [] } = await restarted.app.audit.run('everything')
        expect([breaches, stored.map((breach) => breach.invariant)]).toEqual([[], expect.arrayContaining([invariant])])
        await expectStopped(restarted, scene, STOPPED_ELSEWHERE)
        expect(await restarted.app.audit.run('whole')).not.toHaveProperty('stored')
        await watched.app.audit.lookForBreaches()
        for (const each of [restarted, watched])
          expect(await pay(each, scene.payer, scene.payee)).toMatchObject({ status: 200 })
        expect(watched.logged.join('')).toContain('a whole audit has passed: no breach stops payments')
      })
    },
  )

  it('N1: the recent audit finds an entry without postings, even if nothing else was posted', async () => {
    const scene = await makeScene()
    const watched = await makeTestVasp(db(), {}, vasp.pair)
    await watched.app.audit.run('everything')
    const [planted] = PLANTED.filter(({ what }) => what === 'an entry without postings')
    await withoutTriggers(db(), planted?.plant(scene) ?? '')
    try {
      expect((await watched.app.audit.run('recent')).breaches).toMatchObject([{ invariant: 'N1' }])
    } finally {
      await withoutTriggers(db(), planted?.undo(scene) ?? '')
    }
    await watched.app.audit.run('whole')
  })

  it('N3: finds a hold that belongs to no payment', async () => {
    const payer = await newUser(vasp, { USD: 1_000n })
    const { id } = await holdForPayment(vasp, payer, 'USD', 5n)
    expect(await everything()).toEqual([])
    const set = (state: string): Promise<void> =>
      withoutTriggers(db(), `update payments set state = '${state}' where id = ${id}`)
    await set('failed')
    expect((await everything()).map(({ invariant }) => invariant).toSorted()).toEqual(['N3', 'N4'])
    await set('held')
    await releasePayment(vasp, id)
    expect(await everything()).toEqual([])
  })

  it('reads everything once after a start, and then only what earlier audits may have missed', async () => {
    const scene = await makeScene()
    await ageBooks(db())
    const watched = await makeTestVasp(db(), {}, vasp.pair)
    await watched.app.audit.run('everything')
    const old = PLANTED[0]
    await withoutTriggers(db(), old?.plant(scene) ?? '')
    try {
      expect((await watched.app.audit.run('recent')).breaches).toEqual([])
      expect((await watched.app.audit.run('everything')).breaches).toMatchObject([{ invariant: 'N1' }])
    } finally {
      await withoutTriggers(db(), old?.undo(scene) ?? '')
    }
    await watched.app.audit.run('whole')
  })

  describe('a start', () => {
    const [posting, , , balance] = PLANTED
    const all: TestVasp[] = []
    const started = async (callsWait = (): boolean => false): Promise<TestVasp> => {
      const fresh = await makeTestVasp(db(), {}, vasp.pair)
      all.push(fresh)
      await fresh.app.audit.start(callsWait)
      return fresh
    }
    const isRefused = (each: TestVasp): boolean => {
      try {
        each.app.audit.refusePaymentsAfterBreach()
        return false
      } catch {
        return true
      }
    }
    const hasReadAll = (each: TestVasp): Promise<unknown> =>
      expect.poll(() => each.logged.join(''), { timeout: 20_000 }).toContain('all entries were audited')
    const haveReadAll = async (): Promise<void> => void (await Promise.all(all.splice(0).map(hasReadAll)))
    afterEach(haveReadAll)

    /** The names of the statements that a start sends before it accepts payments. */
    async function namesOf(start: () => Promise<TestVasp>): Promise<string[]> {
      const asked = vi.spyOn(db(), 'query')
      try {
        const each = await start()
        await each.app.audit.checked
        return asked.mock.calls.map(([{ name }]) => name)
      } finally {
        asked.mockRestore()
      }
    }
    const READS_ALL = 'audit_ledger_accounts'

    it('checks only what was written since the stored position before it accepts payments, finds an older breach afterwards, and stores it, so that the next start refuses payments at once', async () => {
      const scene = await makeScene()
      await ageBooks(db())
      await vasp.app.audit.run('everything')
      for (const planted of [posting, balance]) {
        await withoutTriggers(db(), planted?.plant(scene) ?? '')
        try {
          let first: TestVasp | undefined
          let wasRefused: boolean | undefined
          const isHeldUp = { now: true }
          const names = await namesOf(async () => {
            first = await started(() => isHeldUp.now)
            wasRefused = isRefused(first)
            return first
          })
          expect(wasRefused).toBe(false)
          expect(names).toContain('audit_touched_accounts')
          expect(names.filter((name) => name === READS_ALL).length).toBeLessThan(2)
          isHeldUp.now = false
          if (first === undefined) throw new Error('not started')
          await hasReadAll(first)
          await expectStopped(first, scene)
          const second = await started()
          await expectStopped(second, scene, STOPPED_ELSEWHERE)
          await hasReadAll(second)
        } finally {
          await withoutTriggers(db(), planted?.undo(scene) ?? '')
        }
        await vasp.app.audit.run('whole')
        expect(isRefused(await started())).toBe(false)
        await haveReadAll()
      }
    })

    it.each([
      ['with a position ahead of the books', `update audit_position set last_payment = last_payment + 1000000`],
      ['with a position in other books', `update audit_position set entry_key = 'another'`],
      ['with a position beyond the sends of the node', `update audit_position set last_send = last_send + 1`],
      ['with a position beyond the receipts of the node', `update audit_position set last_node_receipt = 1000000`],
      ['with a position in the future', `update audit_position set at = now() + interval '1 hour'`],
      ['with a position a long time ago', `update audit_position set last_posting = last_posting - 60000`],
      ['without a position', `delete from audit_position`],
    ])('%s, it accepts payments after it has read everything', async (_, change) => {
      await makeScene()
      await ageBooks(db())
      await vasp.app.audit.run('everything')
      expect(await namesOf(started)).not.toContain('audit_next_ledger_accounts')
      const again = await makeTestVasp(db(), {}, vasp.pair)
      await makeScene()
      await ageBooks(db())
      await again.app.audit.run('everything')
      await haveReadAll()
      await db().query({ name: `changed_${randomBytes(8).toString('hex')}`, text: change })
      const names = await namesOf(started)
      expect(names).toContain(READS_ALL)
      expect(names).not.toContain('audit_touched_accounts')
    })

    it('refuses payments until an audit could run', async () => {
      const query = db().query.bind(db())
      let isDown = true
      const asked = vi.spyOn(db(), 'query').mockImplementation((statement, params) => {
        if (!isDown || statement.name !== 'audit_ended') return query(statement, params)
        return Promise.reject(new Error('no connection'))
      })
      try {
        const each = await started()
        expect(each.logged.join('')).toContain('the audit could not run')
        expect([isRefused(each), each.app.audit.state()]).toEqual([true, 'missing'])
        isDown = false
        await each.app.audit.run('recent')
        expect([isRefused(each), each.app.audit.state()]).toEqual([false, 'ok'])
      } finally {
        asked.mockRestore()
      }
    })

    it('serves after three seconds, and refuses payments while its first audit runs', async () => {
      const query = db().query.bind(db())
      let goOn: () => void = () => undefined
      const held = new Promise<void>((resolve) => (goOn = resolve))
      const asked = vi.spyOn(db(), 'query').mockImplementation(async (statement, params) => {
        if (statement.name === 'audit_ended') await held
        return query(statement, params)
      })
      try {
        const startedMs = performance.now()
        const each = await started()
        expect(performance.now() - startedMs).toBeLessThan(5_000)
        expect(isRefused(each)).toBe(true)
        goOn()
        await each.app.audit.checked
        expect(isRefused(each)).toBe(false)
      } finally {
        asked.mockRestore()
      }
    })

    it('rests three times as long as each slice of older entries took, and longer while calls wait', async () => {
      await makeScene()
      await ageBooks(db())
      await vasp.app.audit.run('everything')
      const query = db().query.bind(db())
      const SLICE_MS = 60
      const times: number[] = []
      let calls = 0
      const asked = vi.spyOn(db(), 'query').mockImplementation(async (statement, params) => {
        if (statement.name === 'audit_next_invoices') times.push(performance.now())
        if (statement.name === READS_ALL) {
          await new Promise((resolve) => setTimeout(resolve, SLICE_MS))
          times.push(performance.now())
        }
        return query(statement, params)
      })
      try {
        // Calls wait after the second slice.
        await hasReadAll(await started(() => times.length > 1 && calls++ < 10))
      } finally {
        asked.mockRestore()
      }
      const [ended = 0, next = 0] = times
      expect(next - ended).toBeGreaterThan(3 * SLICE_MS - 5)
      expect(calls).toBeGreaterThan(10)
    })

    it('goes on with older entries when calls wait all the time', async () => {
      await makeScene()
      await ageBooks(db())
      await vasp.app.audit.run('everything')
      const now = performance.now.bind(performance)
      let waitedMs = 0
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + waitedMs)
      const callsWait = (): boolean => {
        waitedMs += 11_000
        return true
      }
      try {
        await hasReadAll(await started(callsWait))
      } finally {
        clock.mockRestore()
      }
    })
  })

  it('reads in small slices, and lets other statements run between two of them', async () => {
    const payer = await newUser(vasp, { USD: 1_000n })
    const { walletId } = await walletOf(db(), payer, 'USD')
    await withoutTriggers(
      db(),
      `insert into payments (payment_hash, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state)
       select lpad(to_hex(n), 64, '0'), '${payer}', ${walletId}, 5, 5, '${vasp.app.rates.current().snapshotId}', 'failed' from generate_series(1, 5000) n`,
    )
    const asked = vi.spyOn(db(), 'query')
    let over = false
    const audit = vasp.app.audit.run('everything').finally(() => (over = true))
    await walletOf(db(), payer, 'USD')
    expect(over).toBe(false)
    expect((await audit).breaches).toEqual([])
    const slices = asked.mock.calls.filter(([{ name }]) => name === 'audit_payments').map(([, range]) => range)
    asked.mockRestore()
    expect(slices.length).toBeGreaterThan(2)
    for (const [index, [from]] of (slices as [bigint, bigint][]).entries())
      expect(from).toBe(index === 0 ? 0n : slices[index - 1]?.[1])
  })

  it('returns one result to all callers who ask for a full audit while one runs', async () => {
    const { audit } = (await makeTestVasp(db())).app
    const first = audit.run('everything')
    expect(audit.run('everything')).toBe(first)
    await first
    expect(audit.run('everything')).not.toBe(first)
  })

  describe('the state of the books', () => {
    afterEach(() => {
      vi.restoreAllMocks()
      vi.useRealTimers()
    })

    it('is "missing" before the first audit and when the last one is more than five minutes old, and readiness reports it', async () => {
      const fresh = await makeTestVasp(db())
      const books = async (): Promise<unknown> => {
        const { ready, checks } = await readiness(fresh.app)
        return { ready, books: checks.books, state: fresh.app.audit.state() }
      }
      expect(await books()).toEqual({ ready: false, books: 'missing', state: 'missing' })
      await fresh.app.audit.run('everything')
      expect(await books()).toEqual({ ready: true, books: 'ok', state: 'ok' })
      const later = performance.now() + 5 * 60_000 + 1_000
      vi.spyOn(performance, 'now').mockReturnValue(later)
      expect(await books()).toEqual({ ready: false, books: 'missing', state: 'missing' })
    })

    it('is checked once a minute, and for losses every five seconds; an audit that fails is logged and stops nothing', async () => {
      const { app, logged } = await makeTestVasp(db())
      vi.useFakeTimers({ toFake: ['setInterval'] })
      const query = db().query.bind(db())
      let isDown = false
      const asked = vi.spyOn(db(), 'query').mockImplementation((statement, params) => {
        if (!isDown || statement.name !== 'audit_ended') return query(statement, params)
        isDown = false
        return Promise.reject(new Error('no connection'))
      })
      app.audit.keepRunning()
      vi.advanceTimersByTime(59_999)
      expect(asked.mock.calls.map(([{ name }]) => name)).toEqual(Array(11).fill('unacknowledged_losses'))
      await expect.poll(() => asked.mock.calls.filter(([{ name }]) => name === 'open_breaches').length).toBe(11)
      isDown = true
      vi.advanceTimersByTime(1)
      await expect.poll(() => logged.join('')).toContain('the audit could not run')
      expect(app.audit.state()).toBe('missing')
      expect(() => app.audit.refusePaymentsAfterBreach()).not.toThrow()
      vi.advanceTimersByTime(60_000)
      await expect.poll(() => app.audit.state()).toBe('ok')
    })
  })

  describe('POST /-/audit', () => {
    const ask = (authorization?: string): Promise<Response> =>
      POST(
        new Request('http://localhost:3000/-/audit', {
          method: 'POST',
          body: '{}',
          headers: authorization === undefined ? {} : { authorization },
        }),
      )
    it('audits everything for a caller that knows the instance’s secret, and reads nothing for other callers', async () => {
      const served = await makeTestVasp(db())
      processSingletons().set('application', served.app)
      const now = Math.floor(Date.now() / 1000)
      const wrong = operatorCredential(randomBytes(32).toString('hex'), now, '{}', 'audit')
      for (const header of [undefined, '', `Bearer ${await token(await newUser(vasp, { SAT: 0n }))}`, wrong])
        expect((await ask(header)).status).toBe(401)
      expect(served.app.audit.state()).toBe('missing')
      const response = await ask(operatorCredential(served.app.settings.nextAuthSecret, now, '{}', 'audit'))
      expect(response.status).toBe(200)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(await response.json()).toEqual({
        postings: expect.stringMatching(/^\d+$/) as string,
        breaches: [],
        review: [],
      })
      expect(served.app.audit.state()).toBe('ok')
    })
  })

  /**
   * Payments and conversions are rejected with 503. Invoices and balances still work. Readiness and the log report the
   * breach.
   */
  async function expectStopped(stopped: TestVasp, { payer, payee }: Scene, line = STOPPED_HERE): Promise<void> {
    expect(stopped.app.audit.state()).toBe('failed')
    expect(await readiness(stopped.app)).toMatchObject({ ready: false, checks: { books: 'failed' } })
    expect(stopped.logged.join('')).toContain(line)
    const before = (await readAuditMark(db())).lastPosting
    const { invoice } = await invoiceOf(vasp, payee, 'SAT', 15_001n)
    const payment = await stopped.post('/payments/bolt11', await token(payer), { invoice })
    expect(payment).toMatchObject({ status: 503, body: { code: 'INTERNAL' } })
    const conversion = exchange(stopped.app, { username: payer, from: 'USD', to: 'EUR', amount: 100n, requestId: 'x' })
    await expect(conversion).rejects.toMatchObject({ status: 503, code: 'INTERNAL' })
    expect((await readAuditMark(db())).lastPosting).toBe(before)
    expect(await stopped.post('/invoice', await token(payee), { amount: 1_000 })).toMatchObject({ status: 200 })
    expect(await stopped.get('/balance', await token(payer))).toMatchObject({ status: 200 })
  }
})

describeOnPostgres('the recent audit', (server) => {
  it('finds rows that a transaction commits late, even if several audits ran while it was open', async () => {
    const url = await server.createMigratedDatabase()
    const db = await openDatabase({ databaseUrl: url, dataDir: '', log: () => {} })
    const late = new Client({ connectionString: url })
    await late.connect()
    try {
      const vasp = await makeTestVasp(db)
      const { audit } = vasp.app
      await newUser(vasp, { USD: 1_000n })
      await audit.run('everything')
      await late.query('begin')
      await late.query('set local session_replication_role = replica')
      await late.query(
        `insert into journal_entries (kind, idempotency_key, content_hash) values ('exchange', 'late', '')`,
      )
      await late.query(`insert into postings (entry_id, account_id, currency_code, amount)
        select e.id, a.id, 'USD', 5 from journal_entries e, ledger_accounts a
        where e.idempotency_key = 'late' and a.kind = 'faucet' and a.currency_code = 'USD'`)
      await newUser(vasp, { USD: 5n })
      for (const scope of ['recent', 'everything', 'recent', 'everything'] as const)
        expect((await audit.run(scope)).breaches).toEqual([])
      await late.query('commit')
      await newUser(vasp, { USD: 5n })
      expect((await audit.run('recent')).breaches).toMatchObject([{ invariant: 'N1' }])
    } finally {
      await late.end()
      await db.close()
    }
  })
})

describeOnPostgres('two instances', (server) => {
  it('audit at once while users pay, and a breach that one finds stops both, also while the other one’s whole audit runs', async () => {
    const url = await server.createMigratedDatabase()
    const open = (): Promise<Database> => openDatabase({ databaseUrl: url, dataDir: '', log: () => {} })
    const [db, otherDb] = [await open(), await open()]
    try {
      const one = await makeTestVasp(db)
      const two = await makeTestVasp(otherDb, {}, one.pair)
      const payer = await newUser(one, { USD: 100_000n })
      const payee = await newUser(one, { SAT: 0n })
      const token = await one.connectionToken(payer, ['pay_invoice'])
      const pay = async (through: TestVasp): Promise<number> => {
        const { invoice } = await invoiceOf(one, payee, 'SAT', 15_001n)
        return (await through.post('/payments/bolt11', token, { invoice })).status
      }
      await ageBooks(db)
      const instances = [one, two]
      await Promise.all(instances.map(({ app }) => app.audit.start(() => false)))
      for (const { logged } of instances)
        await expect.poll(() => logged.join(''), { timeout: 20_000 }).toContain('all entries were audited')
      const scopes = ['recent', 'everything', 'recent', 'whole', 'recent'] as const
      const audits = instances.flatMap(({ app }) => scopes.map((scope) => app.audit.run(scope)))
      const paid = await Promise.all(Array.from({ length: 20 }, (_, index) => pay(index % 2 === 0 ? one : two)))
      expect(new Set(paid)).toEqual(new Set([200]))
      for (const { breaches, stored } of await Promise.all(audits)) expect([breaches, stored]).toEqual([[], undefined])

      const { accountId } = await walletOf(db, payer, 'USD')
      const change = (amount: number): Promise<void> =>
        withoutTriggers(db, `update ledger_accounts set balance = balance + ${amount} where id = ${accountId}`)
      // The whole audit of the second instance has read the accounts when the first instance finds the breach.
      const query = otherDb.query.bind(otherDb)
      let found: Promise<unknown> | undefined
      const asked = vi.spyOn(otherDb, 'query').mockImplementation(async (statement, params) => {
        if (statement.name === 'audit_next_postings' && found === undefined) {
          await change(5)
          await (found = one.app.audit.run('everything'))
        }
        return query(statement, params)
      })
      expect(await two.app.audit.run('whole')).toMatchObject({ breaches: [], stored: [{ invariant: 'N2' }] })
      expect(await found).toMatchObject({ breaches: [{ invariant: 'N2' }] })
      asked.mockRestore()
      expect([await pay(one), await pay(two)]).toEqual([503, 503])

      // Both find it again at once, and it stays one breach.
      await Promise.all(instances.map(({ app }) => app.audit.run('everything')))
      const name = 'test_breaches'
      expect(await db.query({ name, text: `select from audit_breaches where passed_at is null` })).toHaveLength(1)
      await change(-5)
      await one.app.audit.run('everything')
      expect([await pay(one), await pay(two)]).toEqual([503, 503])
      await one.app.audit.run('whole')
      await two.app.audit.lookForBreaches()
      expect([await pay(one), await pay(two)]).toEqual([200, 200])
    } finally {
      await Promise.all([db.close(), otherDb.close()])
    }
  })
})

describeOnPostgres('npm run audit', (server) => {
  it('exits with code 2 when a server’s tables are older than this build, and leaves them unchanged', async () => {
    const url = await server.createDatabase()
    const answer = await runAudit({ DATA_DIR: '/nonexistent', DATABASE_URL: url })
    expect(answer).toMatchObject({ code: 2, out: '' })
    expect(answer.err).toMatch(
      /^The database is behind this build: it lacks migration \d+_\w+\. Start the server once\.$/,
    )
    const client = new Client({ connectionString: url })
    await client.connect()
    expect((await client.query(`select from pg_tables where schemaname = 'public'`)).rowCount).toBe(0)
    await client.end()
    await (await openDatabase({ databaseUrl: url, dataDir: '', log: () => {} })).close()
    expect(await runAudit({ DATA_DIR: '/nonexistent', DATABASE_URL: url })).toMatchObject({ code: 0 })
  })
})

describe('npm run audit', () => {
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })

  it('opens the embedded database when no server runs: exits with code 0 when the books balance, else prints the breach and exits with 1', async () => {
    const dataDir = await migratedDataDir()
    folders.push(dataDir)
    const db = await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })
    await seedUsers(db, 'sandbox', testPasswords)
    await seedOpeningBalances(db, await openHouseAccounts(db))
    await db.close()
    const sound = await runAudit({ DATA_DIR: dataDir })
    expect(sound).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^The books balance: .* up to posting \d+\.$/m) as string,
    })
    const again = await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })
    await withoutTriggers(
      again,
      `update ledger_accounts set balance = balance + 1 where kind = 'available' and balance > 0`,
    )
    await again.close()
    const broken = await runAudit({ DATA_DIR: dataDir })
    expect(broken).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^N2 {2}account .*\nThe books do not balance\.$/ms) as string,
    })
    const mended = await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })
    await withoutTriggers(
      mended,
      `update ledger_accounts set balance = balance - 1 where kind = 'available' and balance > 0`,
    )
    await mended.close()
    const earlier =
      /^The books balance: .*\nAn earlier audit found breaches, and payments are stopped until npm run audit -- --whole finds none:\nstored: N2 {2}account /
    const asked = expect.stringMatching(earlier) as string
    expect(await runAudit({ DATA_DIR: dataDir })).toMatchObject({ code: 1, out: asked })
    const passed = expect.stringMatching(/^The books balance: .* up to posting \d+\.$/) as string
    for (const args of [['--whole'], []])
      expect(await runAudit({ DATA_DIR: dataDir }, args)).toMatchObject({ code: 0, out: passed })
  })

  it.each(['', '/nothing'])(
    'prints one line and exits with code 2 when the data folder%s holds no database, and creates none',
    async (below) => {
      const folder = emptyDataDir()
      const dataDir = `${folder}${below}`
      folders.push(folder)
      const answer = await runAudit({ DATA_DIR: dataDir })
      expect(answer).toMatchObject({ code: 2, out: '' })
      expect(answer.err).toMatch(/^There is no database in .*npm run demo$/)
      expect(readdirSync(folder)).toEqual([])
    },
  )

  it.each([
    ['balanced books', 200, { postings: '7', breaches: [] }, 0],
    ['a breach', 200, { postings: '7', breaches: [{ invariant: 'N1', detail: 'entry 3' }] }, 1],
    ['a difference to review', 200, { postings: '7', breaches: [], review: ['the node says'] }, 1],
    ['a refusal', 401, 'no', 2],
  ])(
    'asks the running server with a credential derived from the secret, not with the secret: %s',
    async (_, status, body, code) => {
      const secret = randomBytes(32).toString('hex')
      const asked: string[] = []
      const server = createServer((request, response) => {
        asked.push(`${request.method ?? ''} ${request.url ?? ''}`, request.headers.authorization ?? '')
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const answer = await runAudit({
        DATA_DIR: '/nonexistent',
        PORT: String(port),
        NEXTAUTH_SECRET: secret,
      })
      server.close()
      expect(answer.code).toBe(code)
      const [call, credential = ''] = asked
      expect(call).toBe('POST /-/audit')
      expect(isOperatorCredential(credential, secret, Math.floor(Date.now() / 1000), '{}', 'audit')).toBe(true)
      expect(credential).not.toContain(secret)
    },
  )

  it('acknowledges the named losses, with a credential for those losses only', async () => {
    const secret = randomBytes(32).toString('hex')
    const asked: string[] = []
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      asked.push(request.headers.authorization ?? '', await textOf(request))
      response.end(JSON.stringify({ postings: '7', breaches: [], acknowledged: ['17', '18'] }))
    }
    const server = createServer((request, response) => void answer(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const env = { DATA_DIR: '/nonexistent', PORT: String(port), NEXTAUTH_SECRET: secret }
    expect((await runAudit(env, ['--acknowledge=17,18'])).code).toBe(0)
    server.close()
    const [credential = '', body = ''] = asked
    expect(JSON.parse(body)).toEqual({ acknowledge: ['17', '18'] })
    const now = Math.floor(Date.now() / 1000)
    expect(isOperatorCredential(credential, secret, now, body, 'audit')).toBe(true)
    expect(isOperatorCredential(credential, secret, now, '{}', 'audit')).toBe(false)
  })

  it('exits with code 1 and names the payments that were not acknowledged, whether it asks a server or the database', async () => {
    const secret = randomBytes(32).toString('hex')
    const server = createServer((_request, response) => {
      response.end(JSON.stringify({ postings: '7', breaches: [], acknowledged: ['17'] }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const env = { DATA_DIR: '/nonexistent', PORT: String(port), NEXTAUTH_SECRET: secret }
    const asked = await runAudit(env, ['--acknowledge=17,4711'])
    server.close()
    const missed = 'Payment 4711 is not an unacknowledged loss, so nothing was acknowledged.\nThe books balance: '
    expect(asked).toMatchObject({ code: 1, out: expect.stringMatching(`^${missed}`) as string })
    const dataDir = await migratedDataDir()
    folders.push(dataDir)
    const opened = await runAudit({ DATA_DIR: dataDir }, ['--acknowledge=4711'])
    expect(opened).toMatchObject({ code: 1, out: expect.stringMatching(`^${missed}`) as string })
  })
})

/**
 * Breaks rules that the database enforces: triggers do not fire, but checks and unique keys still apply. Needs a superuser.
 */
async function withoutTriggers(db: Database, statements: string): Promise<void> {
  const text = `do $planted$ begin set local session_replication_role = replica; ${statements}; end $planted$`
  await db.query({ name: `planted_${randomBytes(8).toString('hex')}`, text })
}

/** Moves the entries, payments and settlements written so far two hours into the past. */
async function ageBooks(db: Database): Promise<void> {
  const age = (table: string, column = 'created_at'): string =>
    `update ${table} set ${column} = ${column} - interval '2 hours'`
  await withoutTriggers(db, [age('journal_entries'), age('payments'), age('invoices', 'settled_at')].join('; '))
}

const runAudit = (env: Readonly<Record<string, string>>, args: readonly string[] = []): Promise<Ran> =>
  runScript('scripts/audit.ts', env, args)
