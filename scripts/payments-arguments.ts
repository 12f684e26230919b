import { userInfo } from 'node:os'
import { OperatorRequest } from '../lib/payments/operator'
import { PAYMENTS } from './operator-options'
import { parseCommandLine } from './options'

/** The option for each field of the request. */
const OPTIONS: Readonly<Record<string, readonly [option: string, takes: string]>> = {
  paymentHash: ['--fail', 'the payment hash of --list: 64 lower-case hex digits'],
  peer: ['--accept', 'the public key of a node: 66 lower-case hex digits, the first two 02 or 03'],
  sentMsats: ['--sent', 'millisatoshis as npm run audit names them, such as 25000'],
  receivedMsats: ['--received', 'millisatoshis as npm run audit names them, such as 25000'],
  because: ['--because', 'a reason: one line of at most 500 characters'],
  by: ['--by', 'a name: one line of at most 200 characters'],
}

/** @throws Error that names the option that is missing or wrong. */
export function readPaymentsArguments(args: readonly string[]): OperatorRequest {
  const { values } = parseCommandLine(PAYMENTS, args)
  const { list, fail, accept, sent, received, because, by = userInfo().username } = values
  const [asked, ...others] = [
    ...(list === true ? [{ do: 'list' }] : []),
    ...(fail === undefined ? [] : [{ do: 'fail', paymentHash: fail, by, because }]),
    ...(accept === undefined
      ? []
      : [{ do: 'accept', peer: accept, sentMsats: sent, receivedMsats: received, by, because }]),
  ]
  if (asked === undefined || others.length > 0) throw new Error('Give one of --list, --fail and --accept.')
  const request = OperatorRequest.safeParse(asked)
  if (request.success) return request.data
  const [field] = request.error.issues[0]?.path ?? []
  throw new Error(complaintOf(String(field), asked))
}

function complaintOf(field: string, asked: Readonly<Record<string, unknown>>): string {
  const [option, takes] = OPTIONS[field] ?? [field, 'something else']
  return asked[field] === undefined ? `${option} is missing.` : `${option} takes ${takes}.`
}
