import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { newKeyPair } from '../vasp/keys'
import { scriptPath } from './script'

/** The actions of a process until it is killed. */
export interface CrashOrder {
  readonly databaseUrl: string
  readonly env: Readonly<Record<string, string>>
  readonly pair: ReturnType<typeof newKeyPair>
  readonly path: string
  readonly token: string
  readonly body: unknown
  readonly trap: Trap | undefined
}

export interface Trap {
  readonly statement: string
  readonly when: 'before' | 'after'
}

export interface CrashPoint {
  readonly name: string
  /**
   * Where the process kills itself. Without it, the payee kills the process: `asked` before the payee does anything,
   * `answering` after.
   */
  readonly trap?: Trap
  readonly payee?: 'asked' | 'answering'
  /** The payee refuses the payment. */
  readonly refused?: boolean
  /** The payee's answer is lost, so that the reconciler has work to do. */
  readonly answerLost?: boolean
}

/** The moments of a payment. */
export const CRASH_POINTS: readonly CrashPoint[] = [
  { name: 'before the hold', trap: { statement: 'hold_payment', when: 'before' } },
  { name: 'after the commit of the hold', trap: { statement: 'hold_payment', when: 'after' } },
  { name: 'before the payment is marked as sending', trap: { statement: 'mark_sending', when: 'before' } },
  {
    name: 'after the payment is marked as sending, before the call',
    trap: { statement: 'mark_sending', when: 'after' },
  },
  { name: 'during the call', payee: 'asked' },
  { name: 'after the other node has accepted', payee: 'answering' },
  {
    name: 'after the node has settled, before the outcome is stored',
    trap: { statement: 'end_send', when: 'before' },
  },
  {
    name: 'after the outcome is read, before the settlement',
    trap: { statement: 'settle_payment', when: 'before' },
  },
  { name: 'after the settlement, before the answer', trap: { statement: 'settle_payment', when: 'after' } },
  { name: 'in the refund', trap: { statement: 'fail_payment', when: 'before' }, refused: true },
  { name: 'in the reconciler', trap: { statement: 'claim_payments', when: 'after' }, answerLost: true },
]

/**
 * At the start: before the newest migration changes anything, after it has changed everything, and after its
 * commit.
 */
export const MIGRATION_TRAPS: readonly Trap[] = [
  { statement: 'migration', when: 'before' },
  { statement: 'migration', when: 'after' },
  { statement: 'migration_commit', when: 'after' },
]

/** Starts test/programs/crash-process.ts as a real process. `ended` gives the signal that ended it, or its exit code. */
export function startCrashProcess(order: CrashOrder): { child: ChildProcess; ended: Promise<unknown> } {
  const args = [scriptPath('test/programs/crash-process.ts'), JSON.stringify(order)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  return { child, ended: once(child, 'close').then(([code, signal]: unknown[]) => signal ?? code) }
}
