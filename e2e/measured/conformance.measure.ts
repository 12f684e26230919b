import { test } from 'playwright/test'
import { startOwnVasp } from '../../test/conformance/own-vasp'
import { MEASURED, measured } from '../support/measured'

test('The conformance kit against our own VASP', { tag: MEASURED }, async () => {
  const vasp = await startOwnVasp()
  try {
    const { durationMs } = await vasp.run()
    measured('A run of the conformance kit', Math.round(durationMs / 1_000), 90, 's')
  } finally {
    await vasp.stop()
  }
})
