import { caseGroup, type ConformanceCase } from '../case.ts'
import { check } from '../check.ts'
import { API, SPEC } from '../sentences.ts'
import { COMMANDS, type Command } from '../verdict.ts'
import { PROBES } from './probes.ts'

const command = caseGroup(API, ['exchange.token'])

/** The area of the cases of a command. */
export const AREAS: Readonly<Record<Command, string>> = {
  get_info: 'info',
  get_budget: 'budget',
  get_balance: 'balance',
  make_invoice: 'make-invoice',
  lookup_invoice: 'lookup-invoice',
  list_transactions: 'transactions',
  pay_invoice: 'pay-invoice',
  pay_keysend: 'keysend',
  lookup_user: 'lookup-user',
  fetch_quote: 'fetch-quote',
  execute_quote: 'execute-quote',
  pay_to_address: 'pay-to-address',
}

/** The case that all other cases of a command depend on. */
export function implementedCase(name: Command): ConformanceCase {
  const { method, path, body } = PROBES[name]
  const [shown = ''] = path.split(/[?0%]/, 1)
  return command.must(`${AREAS[name]}.implemented`, `${name} is advertised and implemented`, {
    source: SPEC.implemented,
    advice: `Implement ${method} ${shown}, or remove ${name} from VASP_SUPPORTED_COMMANDS, /info and the discovery document.`,
    needs: [name],
    async run(context) {
      const { status, json } = await context.api({ method, path, body })
      const isEndpoint = status !== 501 && status !== 405 && (status !== 404 || json !== undefined)
      check(isEndpoint, `${method} ${path} answered ${status}.`)
    },
  })
}

export const REQUIRED: readonly Command[] = ['get_info', 'get_budget']

/** The specification requires these two commands of every VASP. */
export const requiredCase = command.must('info.required-commands', 'the VASP advertises get_info and get_budget', {
  source: SPEC.required,
  advice: `Advertise ${REQUIRED.join(' and ')} besides the other commands.`,
  async run({ session, client }) {
    const commands = await session.commands(client)
    const missing = REQUIRED.filter((name) => !commands.includes(name))
    check(
      missing.length === 0,
      `The VASP advertises ${commands.length} of ${COMMANDS.length} commands, without ${missing.join(' and ')}.`,
    )
  },
})
