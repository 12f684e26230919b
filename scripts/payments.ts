import { chooseNode } from '../lib/lightning/choose-node'
import { operate } from '../lib/payments/operator'
import { loadSettings } from '../lib/platform/config'
import { carryOut, givenServer, runCommand } from './instance'
import { PAYMENTS } from './operator-options'
import { readOptions } from './options'
import { readPaymentsArguments } from './payments-arguments'

await runCommand(async () => {
  const request = readOptions(PAYMENTS, readPaymentsArguments)
  const server = givenServer()
  await carryOut(server, 'payments', request, (db) => {
    const { accountKeys: accounts } = chooseNode(loadSettings(server.env))
    // The decision is stored in the database, so it needs no log line.
    return operate({ db, log: { warn: () => {} }, accounts }, request)
  })
})
