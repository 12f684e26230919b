import { createFaultInjector } from '@/lib/sandbox/faults/injector'
import { addFault } from '@/lib/sandbox/faults/service'
import type { Fault, NewFault } from '@/lib/sandbox/faults/types'
import { idOf, withParts, type TestVasp } from './vasp'

/** The same VASP with the fault injector that the sandbox tools add at startup. */
export function withFaultInjector(vasp: TestVasp): TestVasp {
  return withParts(vasp, { faults: createFaultInjector(vasp.app) })
}

/** Adds a fault to the connection of a token, as its owner. */
export async function injectFault(
  { app }: Pick<TestVasp, 'app'>,
  token: string,
  fault: Pick<NewFault, 'kind'> & Partial<NewFault>,
): Promise<Fault> {
  const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string }
  const terms = {
    stage: 'before',
    calls: 1,
    minutes: 60,
    seconds: undefined,
    connectionId: idOf(token),
    ...fault,
  } as const
  const added = await addFault(app, sub, terms)
  if (typeof added === 'string') throw new Error(`the fault was not added: ${added}`)
  return added
}
