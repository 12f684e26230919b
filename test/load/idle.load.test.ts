import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { EVENT_KINDS } from '@/lib/events/types'
import type { Database } from '@/lib/platform/db/database'
import { startEmbeddedEngine } from '../../bench/engines'
import { newIdentity, startInstance } from '../../bench/instance'
import { cpuSecondsOf } from '../../bench/process-use'
import { freePort } from '../programs/free-port'

// CPU time of the server, which a busy machine does not change.

const USERS = 5
/** As many as the server keeps for one user. */
const EVENTS_OF_A_USER = 5_000
const IDLE_MS = 60_000
const MAX_IDLE_SECONDS = 2
const CALLS = 60
const CALL_EVERY_MS = 1_000
const MAX_WAIT_SECONDS = 0.15

describe('a server with the embedded database, full of events, that is not used', () => {
  it('uses at most 2 s of CPU in a minute, and no call then waits for more than 150 ms of its CPU', async () => {
    const engine = await startEmbeddedEngine()
    try {
      await engine.withDatabase((db) => addEvents(db, USERS, EVENTS_OF_A_USER))
      const port = await freePort()
      const server = await startInstance(newIdentity(port), port, { ...engine.env, SANDBOX_TOOLS: 'on' })
      try {
        const atStart = cpuSecondsOf(server.pid)
        expect(atStart, 'this test reads /proc').toBeGreaterThan(0)
        await sleep(IDLE_MS)
        const idleSeconds = cpuSecondsOf(server.pid) - atStart
        const waits: number[] = []
        for (let call = 0; call < CALLS; call++) {
          await sleep(CALL_EVERY_MS)
          const before = cpuSecondsOf(server.pid)
          expect((await fetch(`http://127.0.0.1:${port}/-/alive`)).status).toBe(200)
          waits.push(cpuSecondsOf(server.pid) - before)
        }
        console.log(
          `Idle: ${idleSeconds.toFixed(2)} s of CPU in a minute; calls: ${Math.max(...waits).toFixed(2)} s at most`,
        )
        expect(idleSeconds).toBeLessThanOrEqual(MAX_IDLE_SECONDS)
        expect(Math.max(...waits)).toBeLessThanOrEqual(MAX_WAIT_SECONDS)
      } finally {
        await server.stop()
      }
    } finally {
      await engine.stop()
    }
  })
})

const IN_ONE_STATEMENT = 1_000

/**
 * Stores events of several users in turn, as a used sandbox has them: every kind, and bodies of 100 to 6,400 bytes that do not
 * compress.
 */
async function addEvents(db: Database, users: number, ofEachUser: number): Promise<void> {
  const text = `
    with body as materialized (select string_agg(md5(part::text), '') as text from generate_series(1, 200) part)
    insert into events (kind, name, user_id, connection_id, request_id, status, duration_micros, detail)
    select ($1::text[])[1 + number % ${EVENT_KINDS.length}], 'GET /balance', 'user' || number % $2, 'connection' || number % $2,
           'request' || number, 200, number, jsonb_build_object('response', left(text, 100 + number * 97 % 6300))
    from body, generate_series($3::int, $4::int) number`
  const last = users * ofEachUser
  for (let first = 1; first <= last; first += IN_ONE_STATEMENT)
    await db.query({ name: 'add_events', text }, [
      EVENT_KINDS,
      users,
      first,
      Math.min(first + IN_ONE_STATEMENT - 1, last),
    ])
}
