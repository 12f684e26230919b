import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// The limit of everything that speaks HTTP in this process: one JSON body as long as an answer to GET /balance, and nothing else.
const BODY = JSON.stringify({
  balance: 100_000_000,
  currency: { code: 'SAT', symbol: '', name: 'Satoshi', decimals: 0 },
})

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(BODY) })
  response.end(BODY)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit(0))
