// A process of its own, so that what sends the flood is not what measures the answers to others: asks for the balance that
// many times at once over one connection, and prints how each was answered. Arguments: pairing URI, how many.
import { argv } from 'node:process'
import { nwcClient } from '../test/gateway'

const [uri = '', count = '0'] = argv.slice(2)
const client = await nwcClient(uri)
const answers = await Promise.all(Array.from({ length: Number(count) }, () => client.call('get_balance')))
client.close()
console.log(JSON.stringify(answers.map(({ error }) => error?.code ?? 'answered')))
