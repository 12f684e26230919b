// The ES256 keys of the tokens. The private key is in JWT_PRIVATE_KEY (PEM) or in a file, which the first start creates.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { importKeys } from 'uma-auth-vasp'

const { JWT_PRIVATE_KEY, KEYS_DIR = 'keys' } = process.env
const privateKeyFile = resolve(KEYS_DIR, 'jwt-private.pem')
/** The public key, for the gateway. */
export const publicKeyFile = resolve(KEYS_DIR, 'jwt-public.pem')

mkdirSync(KEYS_DIR, { recursive: true, mode: 0o700 })
if (JWT_PRIVATE_KEY === undefined && !existsSync(privateKeyFile)) {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  writeFileSync(privateKeyFile, pair.privateKey, { mode: 0o600 })
}
const privateKey = JWT_PRIVATE_KEY?.replaceAll('\\n', '\n') ?? readFileSync(privateKeyFile, 'utf8')
const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
writeFileSync(publicKeyFile, publicKey)

export const keys = await importKeys({ privateKey, publicKey })
