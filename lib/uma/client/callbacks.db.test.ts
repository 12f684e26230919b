import { beforeEach, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import type { Statement } from '@/lib/platform/db/statement'
import { fetchError } from '@/lib/platform/net/fetch-error'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newNodeSecret } from '@/test/vasp/keys'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { makeCallbackWorker } from './callbacks'

const START = Date.parse('2026-11-01T12:00:00Z')
/** Longer than a round. */
const SILENCE_MS = 10_000

describeOnBothEngines('The queue of callbacks to other VASPs', (db) => {
  let vasp: TestVasp
  let nowMs = START
  let reported: string[] = []
  beforeEach(async () => {
    vasp = await makeTestVasp(db(), { UMA_SIGNING_KEY: newNodeSecret(), UMA_ENCRYPTION_KEY: newNodeSecret() })
    await db().query({ name: 'test_nothing_due', text: 'delete from uma_callbacks' })
    reported = []
  })

  const due = (host: string, count: number): Promise<unknown> =>
    db().query(
      {
        name: 'test_callbacks_due',
        text: `insert into uma_callbacks (payment_hash, user_id, url, amount_msats)
               select $1 || place, 'nobody', 'https://' || $1 || '/told', 1 from generate_series(1, $2::int) as place`,
      },
      [host, count],
    )

  const left = (): Promise<unknown[]> => db().query({ name: 'test_left', text: 'select tries from uma_callbacks' })

  test('sends at most five callbacks to a silent VASP in a round, and sends first attempts before later ones', async () => {
    const { uma, settings, log } = vasp.app
    if (uma === undefined) throw new Error('no keys')
    const worker = makeCallbackWorker({
      settings,
      log,
      db: db(),
      keys: uma.keys,
      clock: { now: () => new Date(nowMs) },
      fetch: async (address) => {
        const { host } = new URL(address)
        reported.push(host)
        if (host === 'honest.example') return { status: 200, text: '' }
        nowMs += SILENCE_MS
        throw fetchError('late', 'no answer in time')
      },
    })
    await due('silent.example', 12)
    await worker.round()
    expect(reported).toEqual(Array.from({ length: 5 }, () => 'silent.example'))

    // The callbacks tried earlier are due again, and have been due for longer than the new ones.
    const text = `update uma_callbacks set next_try_at = now() - interval '1 hour'`
    await db().query({ name: 'test_long_due', text })
    await db().query({ name: 'test_tried_once', text: 'update uma_callbacks set tries = 1' })
    await due('honest.example', 5)
    reported = []
    await worker.round()
    expect(reported.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'honest.example'))
  })

  test.each([
    ['nothing can be taken from the queue', 'claim_uma_callbacks', [], 0],
    ['old nonces cannot be deleted', 'delete_expired_uma_nonces', ['honest.example'], 1],
  ])('does everything else while %s', async (_, fails, heard, nonces) => {
    const { uma, settings, log, clock } = vasp.app
    if (uma === undefined) throw new Error('no keys')
    const failing: Database = {
      ...db(),
      query<Row>(statement: Statement<Row>, params?: readonly unknown[]) {
        if (statement.name === fails) return Promise.reject(new Error('canceling statement due to timeout'))
        return db().query(statement, params)
      },
    }
    const fetch = async (address: string): Promise<{ status: number; text: string }> => {
      reported.push(new URL(address).host)
      return { status: 200, text: '' }
    }
    const old = `insert into uma_nonces (domain, nonce, expires_at) values ('x', 'old', now() - interval '1 hour') on conflict do nothing`
    await db().query({ name: 'test_old_nonce', text: old })
    await due('honest.example', 1)
    await makeCallbackWorker({ settings, log, clock, fetch, db: failing, keys: uma.keys }).round()
    expect(reported).toEqual(heard)
    const text = `select count(*)::int as kept from uma_nonces where nonce = 'old'`
    expect(await db().query({ name: 'test_nonces_kept', text })).toEqual([{ kept: nonces }])
  })

  test('sends a callback once, however many instances have a round at the same time', async () => {
    const { uma, settings, log, clock } = vasp.app
    if (uma === undefined) throw new Error('no keys')
    const fetch = async (address: string): Promise<{ status: number; text: string }> => {
      reported.push(address)
      return { status: 200, text: '' }
    }
    const instance = () => makeCallbackWorker({ settings, log, clock, fetch, db: db(), keys: uma.keys }).round()
    await due('once.example', 9)
    await Promise.all([instance(), instance(), instance()])
    expect(reported).toHaveLength(9)
    expect(await left()).toEqual([])
  })

  test('sends a callback again after a crash before its acceptance was recorded', async () => {
    const { uma, settings, log, clock } = vasp.app
    if (uma === undefined) throw new Error('no keys')
    let isCrashing = true
    const crashing: Database = {
      ...db(),
      query<Row>(statement: Statement<Row>, params?: readonly unknown[]) {
        if (isCrashing && statement.name === 'uma_callback_accepted') return Promise.reject(new Error('terminated'))
        return db().query(statement, params)
      },
    }
    const fetch = async (address: string): Promise<{ status: number; text: string }> => {
      reported.push(address)
      return { status: 204, text: '' }
    }
    const worker = makeCallbackWorker({ settings, log, clock, fetch, db: crashing, keys: uma.keys })
    await due('again.example', 1)
    await worker.round()
    expect(await left()).toEqual([{ tries: 1 }])
    isCrashing = false
    await db().query({ name: 'test_due_again', text: `update uma_callbacks set next_try_at = now()` })
    await worker.round()
    expect([reported.length, await left()]).toEqual([2, []])
  })
})
