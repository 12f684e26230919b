import { beforeEach, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import type { Statement } from '@/lib/platform/db/statement'
import { fetchError } from '@/lib/platform/net/fetch-error'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newNodeSecret } from '@/test/vasp/keys'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { makeCallbackWorker } from './callback-worker'

const START = Date.parse('2026-11-01T12:00:00Z')
/** Longer than a round. */
const SILENCE_MS = 10_000

describeOnBothEngines('The queue of callbacks to other VASPs', (db) => {
  let vasp: TestVasp
  let nowMs = START
  let reported: string[] = []
  beforeEach(async () => {
    vasp = await makeTestVasp(db(), { UMA_SIGNING_KEY: newNodeSecret(), UMA_ENCRYPTION_KEY: newNodeSecret() })
    await db().query({ name: 'test_nothing_due', text: 'delete from uma_callback_outbox' })
    reported = []
  })

  const due = (host: string, count: number): Promise<unknown> =>
    db().query(
      {
        name: 'test_callbacks_due',
        text: `insert into uma_callback_outbox (payment_hash, direction, url, amount_msats)
               select $1 || place, 'sent', 'https://' || $1 || '/told', 1 from generate_series(1, $2::int) as place`,
      },
      [host, count],
    )

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
    const text = `update uma_callback_outbox set next_attempt_at = now() - interval '1 hour'`
    await db().query({ name: 'test_due_again', text })
    await db().query({ name: 'test_tried_once', text: 'update uma_callback_outbox set attempts = 1' })
    await due('honest.example', 5)
    reported = []
    await worker.round()
    expect(reported.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'honest.example'))
  })

  test.each([
    ['settlements cannot be read', 'enqueue_uma_callbacks', ['honest.example'], 0],
    ['nothing can be taken from the queue', 'claim_uma_callbacks', [], 0],
    ['old nonces cannot be deleted', 'delete_expired_uma_nonces', ['honest.example'], 1],
  ])('does everything else while %s', async (_, fails, heard, nonces) => {
    const { uma, settings, log, clock } = vasp.app
    if (uma === undefined) throw new Error('no keys')
    const asked = new Set<string>()
    const failing: Database = {
      ...db(),
      query<Row>(statement: Statement<Row>, params?: readonly unknown[]) {
        asked.add(statement.name)
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
    expect(asked).toContain('enqueue_uma_callbacks')
    const text = `select count(*)::int as kept from uma_nonces where nonce = 'old'`
    expect(await db().query({ name: 'test_nonces_kept', text })).toEqual([{ kept: nonces }])
  })
})
