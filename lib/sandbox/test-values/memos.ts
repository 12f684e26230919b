/** A text that changes how an invoice behaves when the owner writes the text in the memo. */
export interface TestMemo {
  /** The text to type anywhere in the memo. */
  readonly text: string
  readonly effect: string
}

export const TEST_MEMOS: readonly TestMemo[] = [
  { text: '[expired]', effect: 'The invoice is already expired when you receive it.' },
  {
    text: '[held]',
    effect:
      'A payment from another VASP stays pending until the invoice expires. Then it fails, and the payer gets the money back. A payment from a user of this VASP succeeds at once.',
  },
  {
    text: '[autopay 10s]',
    effect: 'A test payer pays the invoice after 10 seconds. You can use any number from 1 to 600.',
  },
]

const AUTOPAY = /\[autopay (\d{1,3})s\]/i
const MAX_AUTOPAY_SECONDS = 600

/** Reads the test values in a memo. */
export function readTestMemo(memo: string): {
  readonly isExpired: boolean
  readonly isHeld: boolean
  /** Delay of the test payment; undefined when the memo requests none. */
  readonly autopaySeconds: number | undefined
} {
  const seconds = Number(AUTOPAY.exec(memo)?.[1] ?? 0)
  return {
    isExpired: /\[expired\]/i.test(memo),
    isHeld: /\[held\]/i.test(memo),
    autopaySeconds: seconds >= 1 && seconds <= MAX_AUTOPAY_SECONDS ? seconds : undefined,
  }
}
