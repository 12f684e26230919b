/**
 * The last two labels of a name, since names below one cost nothing to make up. Below a suffix like `co.uk` that is more
 * than one owner's, so some who have nothing to do with each other share a place until money has moved; a list of all
 * suffixes would be a dependency that ages.
 */
export function siteOf(domain: string): string {
  return domain.split('.').slice(-2).join('.')
}

/** The site of an address, in SQL. */
export function siteOfAddress(address: string): string {
  return `substring(split_part(${address}, '@', 2) from '(?:[^.]+[.])?[^.]+$')`
}
