// Requests the balance this many times at
// once over one connection, and prints the answers. Arguments: pairing URI, number.
import { argv } from 'node:process'
import { nwcClient } from '../gateway/gateway'

const [uri = '', count = '0'] = argv.slice(2)
const client = await nwcClient(uri)
const answers = await Promise.all(Array.from({ length: Number(count) }, () => client.call('get_balance')))
client.close()
console.log(JSON.stringify(answers.map(({ error }) => error?.code ?? 'answered')))
