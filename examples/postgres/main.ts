// Starts the bank. The files are in the folder from which it is started.
import { readFileSync } from 'node:fs'
import { importKeys } from 'uma-auth-vasp'
import { openPool } from './database.ts'
import { createBankServer } from './server.ts'
import { hashOf } from './sign-in.ts'

const { DATABASE_URL = 'postgresql://localhost/bank', PORT = '4000', BANK_PASSWORD } = process.env
const { BANK_ORIGIN = `http://localhost:${PORT}`, GATEWAY_ROOT_URL = 'http://localhost:8080' } = process.env
const read = (file: string): string => readFileSync(file, 'utf8').trim()

const pool = openPool(DATABASE_URL)
if (BANK_PASSWORD !== undefined)
  for (const name of ['alice', 'bob', 'carol'])
    await pool.query('insert into users (name, password_hash) values ($1, $2) on conflict (name) do nothing', [
      name,
      hashOf(BANK_PASSWORD),
    ])
const server = createBankServer({
  pool,
  origin: BANK_ORIGIN,
  gatewayRootUrl: GATEWAY_ROOT_URL,
  keys: await importKeys({ privateKey: read('private.pem'), publicKey: read('public.pem') }),
  loginSecret: read('login-secret.txt'),
  nodeKey: read('node-key.txt'),
})
server.listen(Number(PORT), 'localhost', () => console.log(`My Bank at ${BANK_ORIGIN}`))
