import { sentenceIn } from '@/lib/ui/sentence-in'

const PROBLEMS = new Map(
  Object.entries({
    insufficient: 'That wallet does not hold enough, so nothing was paid. Fund it, convert into it, or choose another.',
    many: 'Many of your payments are still under way, so this one was not begun. Your wallets show them; try again when some have ended.',
    route: 'The payment did not get through, and nothing was taken from your wallet. Try again while the price holds.',
    failed: 'The payment was refused, so nothing was paid. Ask for a new price.',
  }),
)

export function problemSentence(error: string | undefined): string | undefined {
  return sentenceIn(PROBLEMS, error)
}
