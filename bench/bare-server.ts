import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'

// The baselines for our server, on the same database: HTTP with one prepared read of a balance, HTTP with a constant, and postings
// without HTTP. No signature, no validation, no log.

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
   from connections c join wallets w on w.user_id = c.user_id and w.currency_code = 'SAT'
   join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available' where a.balance > 0`,
)
let turn = 0

async function balance(): Promise<string> {
  const connection = connections[turn++ % connections.length]
  const { rows } = await pool.query<{ balance: string }>({ ...READ, values: [connection?.id] })
  return rows[0]?.balance ?? '0'
}

async function post(): Promise<void> {
  const number = turn++
  const [from, to] = [number, number + 7].map((at) => connections[at % connections.length]?.account)
  const key = `bare ${process.pid} ${number}`
  await pool.query({ ...POST, values: ['exchange', key, [from, to], [-1_000, 1_000]] })
}

const server = createServer((request, response) => {
  const work = request.url === '/balance' ? balance() : Promise.resolve('1')
  const answer = (status: number, value: string): void => {
    // A body of the same length as the one of GET /balance.
    const currency = { code: 'SAT', symbol: '', name: 'Satoshi', decimals: 0 }
    const body = JSON.stringify({ balance: value, currency })
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    response.end(body)
  }
  work.then(
    (value) => answer(200, value),
    (error: unknown) => answer(500, String(error)),
  )
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit(0))

/** A message with a number asks for as many postings. */
process.on('message', (count: number) => {
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) await post()
  }
  void Promise.all(Array.from({ length: CONNECTIONS }, worker)).then(() => process.send?.('done'))
})
