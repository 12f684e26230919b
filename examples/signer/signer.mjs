// The process that holds the private key. Nothing outside it can read the key: the VASP sends bytes and receives signatures.
import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [file = ''] = process.argv.slice(2)
const key = createPrivateKey(readFileSync(file))

process.on('message', ({ id, data }) => {
  const signature = sign('sha256', Buffer.from(data, 'base64'), { key, dsaEncoding: 'ieee-p1363' })
  process.send?.({ id, signature: signature.toString('base64') })
})
process.on('disconnect', () => process.exit())
