import { fork } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { compactVerify } from 'jose'
import { Pool } from 'pg'
import { scriptPath } from '../test/script'
import type { Person } from './people'

/** So many callers in each measurement that has a fixed number of them. */
export const CALLERS = 10

/** A bare node:http server in a process of its own. */
export async function startBareHttp(): Promise<{ readonly port: number; readonly pid: number; stop(): void }> {
  const child = fork(scriptPath('bench/bare-http.ts'), { serialization: 'advanced' })
  const [port] = (await once(child, 'message')) as [number]
  return { port, pid: child.pid ?? 0, stop: () => child.disconnect() }
}

/** Signatures of tokens checked one after another, as the library does it, without any cache. */
export async function verifyPerSecond(token: string, publicPem: string, durationMs: number): Promise<number> {
  const key = createPublicKey(publicPem)
  const check = (): Promise<unknown> => compactVerify(token, key, { algorithms: ['ES256'] })
  for (let warm = 0; warm < 100; warm++) await check()
  const startedAt = performance.now()
  let done = 0
  for (; performance.now() - startedAt < durationMs; done++) await check()
  return done / ((performance.now() - startedAt) / 1000)
}

/**
 * Work that several callers do at once for a while; how often a second.
 * @param one is given the number of the try, each number once.
 */
export async function perSecond(
  callers: number,
  durationMs: number,
  one: (number: number) => Promise<unknown>,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  const startedAt = performance.now()
  let next = 0
  let done = 0
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - startedAt < durationMs && next < most) {
        await one(next++)
        done += 1
      }
    }),
  )
  return done / ((performance.now() - startedAt) / 1000)
}

/** The smallest question through `pg`, each waited for by one of ten callers. */
export async function roundTripsPerSecond(databaseUrl: string, durationMs: number): Promise<number> {
  const pool = new Pool({ connectionString: databaseUrl, max: CALLERS })
  try {
    return await perSecond(CALLERS, durationMs, () => pool.query({ name: 'one', text: 'select 1' }))
  } finally {
    await pool.end()
  }
}

const POST_ENTRY = {
  name: 'post_entry',
  text: 'select entry_id, replayed from post_entry($1, $2, $3::bigint[], $4::bigint[])',
}

/**
 * The posting function straight through `pg`, with nothing around it: the entry of a payment, one person's account to
 * another's, and no payment and no invoice beside it.
 */
export async function postingsPerSecond(
  databaseUrl: string,
  people: readonly Person[],
  run: string,
  durationMs: number,
): Promise<number> {
  const pool = new Pool({ connectionString: databaseUrl, max: CALLERS })
  try {
    return await perSecond(CALLERS, durationMs, (number) => {
      const from = people[number % people.length]?.wallet.accountId
      const to = people[(number + 7) % people.length]?.wallet.accountId
      return pool.query({ ...POST_ENTRY, values: ['exchange', `${run} ${number}`, [from, to], [-1_000, 1_000]] })
    })
  } finally {
    await pool.end()
  }
}
