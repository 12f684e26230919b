import { sentenceIn } from '@/lib/ui/sentence-in'

const PROBLEMS = new Map(
  Object.entries({
    amount:
      'The amount cannot be asked for in this wallet, so no invoice was made. Type a positive number of up to 0.1 bitcoin in worth, with no more decimals than the currency has, or leave it empty.',
    description: 'The memo is too long or holds characters that do not print, so no invoice was made. Shorten it.',
    currency: 'You have no such wallet, so no invoice was made. Choose one of yours.',
    'uma-amount':
      'The amount cannot be asked for in this wallet, so no UMA invoice was made. Type a positive number of up to 0.1 bitcoin in worth, with no more decimals than the currency has.',
    'uma-currency': 'You have no such wallet, so no UMA invoice was made. Choose one of yours.',
    payer:
      'This is no UMA address, so nobody was asked and no UMA invoice was made. Write it as $name@domain, or leave it empty and show the invoice to whoever is to pay.',
    nobody:
      'There is nobody with that address, so nobody was asked and no UMA invoice was made. Look at its spelling, or leave it empty and show the invoice to whoever is to pay.',
    many: 'Too much was asked for at once, or too many requests wait with them already, so nobody was asked and no UMA invoice was made. Try again later, or leave the address empty.',
    'their-silent':
      'Their VASP did not say whether it has the request. Send it again as it stands here: if they have it, it stays one request and can be paid once.',
    'their-refused':
      'Their VASP did not take the request, so nobody was asked. Leave the address empty, and show the UMA invoice to whoever is to pay.',
    'their-unusable':
      'Their VASP gave an answer that cannot be used, so nobody was asked. Leave the address empty, and show the UMA invoice to whoever is to pay.',
    'their-closed':
      'Their VASP is not spoken to from here, so nobody was asked. Leave the address empty, and show the UMA invoice to whoever is to pay.',
    expiry: 'The invoice cannot last that long, so none was made. Choose one of the lengths.',
  }),
)
const OUR_SIDE = 'It did not work on our side, and no invoice was made. Try again.'

export function problemSentence(error: string | undefined): string | undefined {
  return sentenceIn(PROBLEMS, error, OUR_SIDE)
}

const FIELDS: ReadonlySet<string> = new Set(['amount', 'description', 'currency', 'uma-amount', 'uma-currency'])

/** The field that a code is about, by its name; the answers of another VASP are about the address that was to be asked. */
export function fieldOf(error: string | undefined): string | undefined {
  if (error === undefined) return undefined
  if (error === 'payer' || error === 'nobody' || error === 'many' || error.startsWith('their-')) return 'payer'
  return FIELDS.has(error) ? error : undefined
}
