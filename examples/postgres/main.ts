// Starts the bank. It reads its secrets from files of the folder in which it is started.
import { readFileSync } from 'node:fs'
import { importKeys } from 'uma-auth-vasp'
import { first, openPool } from './database.ts'
import { createBankServer } from './server.ts'
import { hashOf } from './sign-in.ts'

const { DATABASE_URL = 'postgresql:///bank', PORT = '4000', BANK_PASSWORD } = process.env
const { BANK_ORIGIN = `http://localhost:${PORT}`, GATEWAY_ROOT_URL = 'http://localhost:8080' } = process.env
const read = (file: string): string => readFileSync(file, 'utf8').trim()
const pool = openPool(DATABASE_URL)
const addUser = 'insert into users (name, password_hash) values ($1, $2) on conflict (name) do nothing'
if (BANK_PASSWORD !== undefined)
  for (const name of ['alice', 'bob', 'carol']) await first(pool, addUser, name, hashOf(BANK_PASSWORD))
const keys = await importKeys({ privateKey: read('private.pem'), publicKey: read('public.pem') })
const options = { keys, gatewayRootUrl: GATEWAY_ROOT_URL, loginSecret: read('login-secret.txt') }
const server = createBankServer(pool, BANK_ORIGIN, read('node-key.txt'), options)
server.listen(Number(PORT), 'localhost', () => console.log(`My Bank at ${BANK_ORIGIN}`))
