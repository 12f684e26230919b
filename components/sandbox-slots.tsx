/**
 * What the sandbox tools show in other pages. No other page outside the sandbox wing imports the wing. A plain
 * VASP has the empty version of this file (`docs/adopt.md`).
 */
export { CallsLink } from '@/app/sandbox/slots/calls-link'
export { ConnectionCalls } from '@/app/sandbox/slots/connection-calls'
export { ConnectionFaults, FaultsDone } from '@/app/sandbox/slots/connection-faults'
export { LeavingTemporaryUser } from '@/app/sandbox/slots/leaving-temporary-user'
export { NewUserButton, OwnUserForm } from '@/app/sandbox/slots/own-user-form'
export { PayAsTestUser } from '@/app/sandbox/slots/pay-as-test-user'
export { PaymentWire } from '@/app/sandbox/slots/payment-wire'
export { ReceiveExamples, SendExamples } from '@/app/sandbox/slots/test-values'
export { UserSettings } from '@/app/sandbox/slots/user-settings'
