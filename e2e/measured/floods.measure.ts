import { expect, test } from 'playwright/test'
import { nwcClient } from '../../test/gateway/gateway'
import { pairByHand } from '../../test/gateway/pair-by-hand'
import { floodConnection, floodSignIns } from '../../test/programs/flood'
import { MEASURED, measured } from '../support/measured'
import { sharedStack } from '../support/shared-stack'

const SIGN_INS = 200
const CALLS = 400
/** With all threads in use, it took over twenty seconds. */
const MAX_ALIVE_MS = 1_000
/** When the gateway processed calls in order of arrival, a call took 60 % of the flood. */
const MAX_CALL_MS = 1_000

test('The longest wait beside a flood of sign-ins', { tag: MEASURED }, async () => {
  const { vaspOrigin } = sharedStack()
  const { waitsMs } = await floodSignIns(vaspOrigin, SIGN_INS, async () => {
    expect((await fetch(`${vaspOrigin}/-/alive`)).status).toBe(200)
  })
  measured('/-/alive during a flood of sign-ins, longest', Math.max(...waitsMs), MAX_ALIVE_MS)
})

test('The longest call beside a flood on another connection', { tag: MEASURED }, async () => {
  const loud = await pairByHand(sharedStack(), 'alice')
  const quiet = await nwcClient(await pairByHand(sharedStack(), 'bob'))
  const { waitsMs } = await floodConnection(loud, CALLS, async () => {
    expect(await quiet.call('get_balance')).toHaveProperty('result')
  })
  quiet.close()
  measured('A call beside a flood on another connection, longest', Math.max(...waitsMs), MAX_CALL_MS)
})
