import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'

// The baselines for our server, on the same database: HTTP with one prepared read of a balance, HTTP with one call of the posting
// function, and HTTP alone. No signature, no validation, no log.

const CONNECTIONS = 10
const READ = {
  name: 'bare_balance',
  text: `select a.balance::text as balance
         from connections c
         join users u on u.id = c.user_id and u.status = 'active'
         join wallets w on w.user_id = u.id
         join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
         where c.id = $1 and c.revoked_at is null`,
}
const POST = { name: 'bare_post', text: 'select entry_id from post_entry($1, $2, $3::bigint[], $4::bigint[])' }

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: CONNECTIONS })
const { rows: connections } = await pool.query<{ id: string; account: string }>(
  `select distinct on (c.user_id) c.id, a.id as account
   from connections c join wallets w on w.user_id = c.user_id
   join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available' where a.balance > 0`,
)
let turn = 0

async function balance(): Promise<string> {
  const connection = connections[turn++ % connections.length]
  const { rows } = await pool.query<{ balance: string }>({ ...READ, values: [connection?.id] })
  return rows[0]?.balance ?? '0'
}

async function post(): Promise<string> {
  const number = turn++
  const [from, to] = [number, number + 7].map((at) => connections[at % connections.length]?.account)
  const key = `bare ${process.pid} ${number}`
  const { rows } = await pool.query<{ entry_id: string }>({
    ...POST,
    values: ['exchange', key, [from, to], [-1_000, 1_000]],
  })
  return rows[0]?.entry_id ?? ''
}

const server = createServer((request, response) => {
  const work = request.url === '/balance' ? balance() : request.url === '/post' ? post() : Promise.resolve('1')
  work.then(
    (value) => answer(response, 200, value),
    (error: unknown) => answer(response, 500, String(error)),
  )
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit(0))

/** A body of the same length as the one of GET /balance. */
function answer(response: ServerResponse, status: number, value: string): void {
  const body = JSON.stringify({
    balance: value,
    currency: { code: 'SAT', symbol: '', name: 'Satoshi', decimals: 0 },
  })
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}
