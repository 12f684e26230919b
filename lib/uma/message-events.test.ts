import { expect, it } from 'vitest'
import type { NewEvent } from '../events/types'
import { fetchError } from '../platform/net/fetch-error'
import { withEvents } from './message-events'

it('records the domain and the status of a message to another VASP, but not its path, query, body or user', async () => {
  const recorded: NewEvent[] = []
  const fetch = withEvents(async () => ({ status: 200, text: '{"payerData":"secret"}' }), {
    record: (event) => void recorded.push(event),
  })
  await fetch('https://vasp.example/.well-known/lnurlp/$bob?signature=secret')
  await fetch('https://vasp.example/pay/secret', { method: 'POST', body: '{"payerData":"secret"}' })
  expect(recorded).toMatchObject([
    { kind: 'uma_message', name: 'address lookup sent', status: 200, summary: 'to vasp.example' },
    { kind: 'uma_message', name: 'UMA message sent', status: 200, summary: 'to vasp.example' },
  ])
  expect(JSON.stringify(recorded)).not.toMatch(/secret|bob/)
  expect(recorded.every(({ userId }) => userId === undefined)).toBe(true)
})

it('records why no answer came, and passes the error on', async () => {
  const recorded: NewEvent[] = []
  const failure = fetchError('late', 'no answer in time')
  const fetch = withEvents(() => Promise.reject(failure), { record: (event) => void recorded.push(event) })
  await expect(fetch('https://vasp.example/.well-known/lnurlpubkey')).rejects.toBe(failure)
  expect(recorded).toMatchObject([{ name: 'key document read', status: undefined, failedCheck: 'late' }])
})
