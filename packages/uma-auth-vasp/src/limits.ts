// Limits of the API that a bank may need as well.

export const MAX_PAGE_SIZE = 100
export const FARTHEST_OFFSET = 10_000
export const MAX_EXPIRY_SECONDS = 31_536_000
/** A BOLT-11 field holds 639 bytes. */
export const MAX_DESCRIPTION_BYTES = 639

/** Text that an invoice and a database can store: not too long, no NUL, and no lone surrogate. */
export function isDescription(text: string): boolean {
  return new TextEncoder().encode(text).length <= MAX_DESCRIPTION_BYTES && !/[\0\p{Cs}]/u.test(text)
}
