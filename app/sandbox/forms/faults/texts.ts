import { FAULT_LIMITS } from '@/lib/sandbox/faults/types'
import type { ErrorTexts } from '@/lib/web/form-errors'

export const FAULT_ERRORS: ErrorTexts = {
  'calls.range': `Enter a whole number from 1 to ${FAULT_LIMITS.calls}. No fault was added.`,
  'minutes.range': `Enter a whole number from 1 to ${FAULT_LIMITS.minutes}. No fault was added.`,
  'seconds.range': `Enter a whole number: 1 to ${FAULT_LIMITS.delaySeconds} for a delay, 1 to ${FAULT_LIMITS.retryAfterSeconds} for Retry-After. No fault was added.`,
  'seconds.not_for_this_kind':
    'Only a delay and 429 with Retry-After have seconds. Leave this empty. No fault was added.',
  'kind.many': `This connection has ${FAULT_LIMITS.active} active faults. Stop one of them first. No fault was added.`,
  'stop.ended': 'This fault has already ended.',
  'quote.ended': 'This quote has already been paid or has expired.',
}
