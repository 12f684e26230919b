import { isDescription } from 'uma-auth-vasp'

/** Whether a receiver accepts a comment of this length, in characters, and the comment can be stored. */
export function isCommentFor({ commentLength }: { readonly commentLength: number }, text: string): boolean {
  return Array.from(text).length <= commentLength && isDescription(text)
}
