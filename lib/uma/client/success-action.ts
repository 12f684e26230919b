import { createDecipheriv } from 'node:crypto'
import { z } from 'zod'
import { visibleLines } from '../../platform/visible-text'
import { isUnset } from '../messages/unset'

/** LUD-09 permits 144 characters. Some services send more. */
const MAX_TEXT_LENGTH = 1_000
/** 4 kB, in base64. */
const MAX_CIPHERTEXT_LENGTH = 4_096

const text = z.string().max(MAX_TEXT_LENGTH).transform(visibleLines)
const tag = <Name extends string>(name: Name) => z.string().toLowerCase().pipe(z.literal(name))
const Action = z.union([
  z.object({ tag: tag('message'), message: text }),
  z.object({
    tag: tag('url'),
    description: text.catch(''),
    // As a browser writes it, so that no character of the shown address hides or reverses a part of it.
    url: z
      .url({ protocol: /^https?$/, normalize: true })
      .max(2_048)
      .refine((url) => !hasUserInfo(url)),
  }),
  z.object({
    tag: tag('aes'),
    description: text.catch(''),
    ciphertext: z.base64().min(1).max(MAX_CIPHERTEXT_LENGTH),
    iv: z.base64().length(24),
  }),
])

/** What a receiver asks the payer's wallet to show after the payment (LUD-09). */
export type SuccessAction = z.output<typeof Action>

/**
 * Reads the success action of an offer. Null when there is none, or when no member of it is set, and `unsupported` for one
 * that this VASP could not show: LUD-09 requires a wallet to refuse the payment then, because the payer would lose what
 * was paid for.
 */
export function readSuccessAction(given: unknown): SuccessAction | null | 'unsupported' {
  if (
    isUnset(given) ||
    (typeof given === 'object' && !Array.isArray(given) && Object.values(given ?? {}).every(isUnset))
  )
    return null
  return Action.safeParse(given).data ?? 'unsupported'
}

/** The text of an encrypted action, decrypted with the preimage that the payment bought; undefined when it does not fit. */
export function decryptedText(
  { ciphertext, iv }: Extract<SuccessAction, { tag: 'aes' }>,
  preimageHex: string,
): string | undefined {
  try {
    const cipher = createDecipheriv('aes-256-cbc', Buffer.from(preimageHex, 'hex'), Buffer.from(iv, 'base64'))
    const bytes = Buffer.concat([cipher.update(Buffer.from(ciphertext, 'base64')), cipher.final()])
    return visibleLines(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** User info looks like the host of an address. */
function hasUserInfo(address: string): boolean {
  const { username = '', password = '' } = URL.canParse(address) ? new URL(address) : {}
  return username !== '' || password !== ''
}
