import { isDescription } from 'uma-auth-vasp'
import { umaFault } from '../fault'

/** In UTF-16 code units, each of which takes at most three bytes in UTF-8. An invoice's description can have 639 bytes. */
export const MAX_COMMENT_LENGTH = 150

/** Whether a comment can be stored and shown. */
export function isComment(text: string): boolean {
  return text.length <= MAX_COMMENT_LENGTH && isDescription(text)
}

/** @throws UmaFault INVALID_INPUT for a comment that is too long or cannot be stored. */
export function readComment(text: string | undefined): string | undefined {
  if (text !== undefined && !isComment(text))
    throw umaFault('INVALID_INPUT', 'The comment is too long or contains invalid characters.')
  return text === '' ? undefined : text
}
